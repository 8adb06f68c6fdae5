package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.KubeApiException;

/** Executes the actions that a controller decided on. Controllers write by executors only. Thread safe. */
@FunctionalInterface
public interface ActionExecutor {
    /**
     * Executes the actions in order. Stops after the first write, batch or live check that fails.
     *
     * @param owner the key whose sync decided on the actions; its next sync waits until the caches show these writes
     * @return what was done, and the first failure, if any
     */
    Outcome execute(Object owner, List<Action> actions);

    /**
     * One write that was tried.
     *
     * @param answer the object that the server returned; null for a delete and for a failed write
     * @param error the failure; null after a success
     * @param harmless whether the error counts as success, such as deleting an object that does not exist
     */
    record Attempt(Action.Write write, @Nullable KubernetesObject answer, @Nullable KubeApiException error,
            boolean harmless) {
        public boolean failed() {
            return error != null && !harmless;
        }

        /** Whether the write succeeded, so that it changed something. */
        public boolean done() {
            return error == null;
        }
    }

    /**
     * The result of executing a list of actions.
     *
     * @param written the objects that the server returned for successful creates, updates and patches, in order
     * @param failed the first write that failed; null if none did
     * @param error the error of that write, or of a failed live check; null after a success
     * @param skipped the number of writes that were not tried
     * @param attempts all writes that were tried, in order
     * @param requeueAfter the shortest delay among the executed {@link Action.RequeueAfter}s; null if there was none
     */
    record Outcome(List<KubernetesObject> written, Action.@Nullable Write failed, @Nullable KubeApiException error,
            int skipped, List<Attempt> attempts, @Nullable Duration requeueAfter) {
        public Outcome {
            written = List.copyOf(written);
            attempts = List.copyOf(attempts);
        }

        public boolean succeeded() {
            return error == null;
        }

        /** The result of a sync that does nothing after these actions. */
        public Result toResult() {
            if (error != null) {
                return Result.retry(error);
            }
            return requeueAfter != null ? Result.requeueAfter(requeueAfter) : Result.done();
        }
    }
}
