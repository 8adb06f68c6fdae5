package dev.wheelhouse.controllers.garbagecollector;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ObjectMeta;

/** The two finalizers that stand for a propagation policy. */
final class Finalizers {
    /** The object goes when its blocking dependents are gone. */
    static final String FOREGROUND = "foregroundDeletion";
    /** The object goes when its dependents do not refer to it any more. */
    static final String ORPHAN = "orphan";

    private Finalizers() {}

    static boolean isBeingDeleted(V1ObjectMeta meta) {
        return meta.getDeletionTimestamp() != null;
    }

    static boolean has(V1ObjectMeta meta, String finalizer) {
        return of(meta).contains(finalizer);
    }

    static List<String> of(V1ObjectMeta meta) {
        return meta.getFinalizers() == null ? List.of() : meta.getFinalizers();
    }

    /** Whether a deletion that waits for this finalizer began between two states of an object. */
    static boolean begins(@Nullable V1ObjectMeta before, V1ObjectMeta after, String finalizer) {
        return isBeingDeleted(after) && has(after, finalizer)
                && (before == null || !isBeingDeleted(before) || !has(before, finalizer));
    }
}
