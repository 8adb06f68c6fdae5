package dev.wheelhouse.controller;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.ObjectKey;

/** Carries out what a controller decided. The only place where a controller writes. */
public interface ActionExecutor {
    /**
     * Carries the actions out in their order, and stops at the first write that fails.
     *
     * @param owner the key whose sync decided them: its next sync waits until the caches have seen these writes
     * @return what was done, and the failure, if any
     */
    Outcome execute(ObjectKey owner, List<Action> actions);

    /**
     * @param written the answers of the creates, updates and patches that succeeded, in order
     * @param failed the write that failed, or null
     * @param error its error, or null
     * @param skipped how many writes were not tried
     */
    record Outcome(List<KubernetesObject> written, Action.@Nullable Write failed, @Nullable ApiError error,
            int skipped) {
        public boolean succeeded() {
            return error == null;
        }
    }
}
