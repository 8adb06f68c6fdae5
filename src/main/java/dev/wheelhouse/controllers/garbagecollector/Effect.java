package dev.wheelhouse.controllers.garbagecollector;

import io.kubernetes.client.openapi.models.V1OwnerReference;

/** An effect of a change of the graph. */
sealed interface Effect {
    /** Check whether an object is to be deleted. */
    record AttemptToDelete(String uid) implements Effect {}

    /** Check whether an object is to be deleted, after the rate limiter's delay. */
    record AttemptToDeleteLater(String uid) implements Effect {}

    /** Remove the references to an object from its dependents. */
    record AttemptToOrphan(String uid) implements Effect {}

    /** An object names an owner in another namespace. */
    record OwnerElsewhere(ObjectRef dependent, V1OwnerReference owner) implements Effect {}
}
