package dev.wheelhouse.controllers.garbagecollector;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ObjectMeta;

import static dev.wheelhouse.api.Absent.orEmpty;

/** The two finalizers that implement deletion propagation policies. */
final class Finalizers {
    /** The object is removed after its blocking dependents. */
    static final String FOREGROUND = "foregroundDeletion";
    /** The object is removed after all references to it were removed from its dependents. */
    static final String ORPHAN = "orphan";

    private Finalizers() {}

    static boolean isBeingDeleted(V1ObjectMeta meta) {
        return meta.getDeletionTimestamp() != null;
    }

    static boolean has(V1ObjectMeta meta, String finalizer) {
        return of(meta).contains(finalizer);
    }

    static List<String> of(V1ObjectMeta meta) {
        return orEmpty(meta.getFinalizers());
    }

    /** Whether, between two states of an object, a deletion began that waits for this finalizer. */
    static boolean begins(@Nullable V1ObjectMeta before, V1ObjectMeta after, String finalizer) {
        return isBeingDeleted(after) && has(after, finalizer)
                && (before == null || !isBeingDeleted(before) || !has(before, finalizer));
    }
}
