package dev.wheelhouse.controller;

import java.time.Duration;
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

    /** A sync of this owner begins; every {@link #execute} until {@link #end} belongs to it. */
    default void begin(ObjectKey owner) {}

    /** The sync of this owner has ended. */
    default void end(ObjectKey owner) {}

    /** Whether it writes at all; one that only plans answers for every write as if it had succeeded. */
    default boolean writes() {
        return true;
    }

    /**
     * One write that was tried.
     *
     * @param answer the object as stored; null for a delete and for a write that was not done
     * @param error why it was not done, or null
     * @param harmless whether that error counts as success, such as deleting what is gone already
     */
    record Attempt(Action.Write write, @Nullable KubernetesObject answer, @Nullable ApiError error,
            boolean harmless) {
        public boolean failed() {
            return error != null && !harmless;
        }

        /** Whether it changed something. */
        public boolean done() {
            return error == null;
        }
    }

    /**
     * @param written the answers of the creates, updates and patches that succeeded, in order
     * @param failed the first write that failed, or null
     * @param error its error, or that of a live check that did not hold, or null
     * @param skipped how many writes were not tried
     * @param attempts every write that was tried, in order
     * @param requeueAfter the shortest delay that the actions carried out asked for, or null
     */
    record Outcome(List<KubernetesObject> written, Action.@Nullable Write failed, @Nullable ApiError error,
            int skipped, List<Attempt> attempts, @Nullable Duration requeueAfter) {
        public Outcome {
            written = List.copyOf(written);
            attempts = List.copyOf(attempts);
        }

        public Outcome(List<KubernetesObject> written, Action.@Nullable Write failed, @Nullable ApiError error,
                int skipped) {
            this(written, failed, error, skipped, List.of(), null);
        }

        public boolean succeeded() {
            return error == null;
        }

        /** How a sync that did nothing after this has ended. */
        public Result toResult() {
            if (error != null) {
                return Result.retry(error);
            }
            return requeueAfter != null ? Result.requeueAfter(requeueAfter) : Result.done();
        }
    }
}
