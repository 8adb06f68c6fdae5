package dev.wheelhouse.controllers.garbagecollector;

import io.kubernetes.client.openapi.models.V1OwnerReference;

/** What a change of the graph calls for. */
sealed interface Effect {
    /** See whether an object is to be deleted. */
    record AttemptToDelete(String uid) implements Effect {}

    /** The same, after the rate limiter's delay. */
    record AttemptToDeleteLater(String uid) implements Effect {}

    /** Take an object's references out of its dependents. */
    record AttemptToOrphan(String uid) implements Effect {}

    /** An object names an owner that is in another namespace. */
    record OwnerElsewhere(ObjectRef dependent, V1OwnerReference owner) implements Effect {}
}
