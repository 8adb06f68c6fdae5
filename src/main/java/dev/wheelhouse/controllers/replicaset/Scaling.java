package dev.wheelhouse.controllers.replicaset;

import java.util.List;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.controller.Action;

/**
 * What is to be created or deleted: never both.
 *
 * @param creations how many pods
 * @param victims which pods to delete
 * @param actions the writes
 */
record Scaling(int creations, List<V1Pod> victims, List<Action> actions) {
    static final Scaling NOTHING = new Scaling(0, List.of(), List.of());

    /** Whether scaling fails, for the status. */
    sealed interface Failure {}

    /** It was not tried, so nothing new is known. */
    record NotTried() implements Failure {}

    /** It succeeded, or there was nothing to do. */
    record None() implements Failure {}

    /** @param reason {@code FailedCreate} or {@code FailedDelete} */
    record Failed(String reason, String message) implements Failure {}
}
