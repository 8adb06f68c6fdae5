package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;

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
     * @param attempts all writes that were tried, in order
     * @param failedCheck the error of a live check that failed; null if none did
     * @param requeueAfter the shortest delay among the executed {@link Action.RequeueAfter}s; null if there was none
     */
    record Outcome(List<Attempt> attempts, @Nullable KubeApiException failedCheck, @Nullable Duration requeueAfter) {
        public Outcome {
            attempts = List.copyOf(attempts);
        }

        /** The objects that the server returned for successful creates, updates and patches, in order. */
        public List<KubernetesObject> written() {
            return attempts.stream().map(Attempt::answer).filter(Objects::nonNull).toList();
        }

        /** The targets of the writes that succeeded. */
        public Set<ObjectKey> done() {
            return attempts.stream().filter(Attempt::done).map(attempt -> attempt.write().target())
                    .collect(Collectors.toSet());
        }

        /** The first write that failed; null if none did. */
        public Action.@Nullable Write failed() {
            return attempts.stream().filter(Attempt::failed).map(Attempt::write).findFirst().orElse(null);
        }

        /** The error of the first write, or of the live check, that failed; null after a success. */
        public @Nullable KubeApiException error() {
            return attempts.stream().filter(Attempt::failed).map(Attempt::error).findFirst().orElse(failedCheck);
        }

        public boolean succeeded() {
            return error() == null;
        }

        /** The result of a sync that does nothing after these actions. */
        public Result toResult() {
            KubeApiException error = error();
            return error != null
                    ? Result.retry(error)
                    : requeueAfter != null ? Result.requeueAfter(requeueAfter) : Result.done();
        }
    }
}
