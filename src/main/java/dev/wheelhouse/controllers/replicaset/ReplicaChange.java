package dev.wheelhouse.controllers.replicaset;

import java.util.List;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.controller.Action;

/**
 * The pods to create or to delete; never both.
 *
 * @param creations the number of pods to create
 * @param victims the pods to delete
 * @param actions the writes
 */
record ReplicaChange(int creations, List<V1Pod> victims, List<Action> actions) {
    static final ReplicaChange NOTHING = new ReplicaChange(0, List.of(), List.of());

    /** The failure of scaling, for the status. */
    sealed interface Failure {}

    /** The change was not tried, so the last result stands. */
    record NotTried() implements Failure {}

    /** The change succeeded, or there was nothing to do. */
    record None() implements Failure {}

    /**
     * The change failed.
     * @param reason {@code FailedCreate} or {@code FailedDelete}
     */
    record Failed(String reason, String message) implements Failure {}
}
