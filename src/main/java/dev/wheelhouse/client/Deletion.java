package dev.wheelhouse.client;

import org.jspecify.annotations.Nullable;

/**
 * How to delete.
 *
 * @param gracePeriodSeconds null for the object's own
 * @param uid delete only the object with this UID, or null
 * @param resourceVersion delete only at this version, or null
 * @param propagation {@code Background}, {@code Foreground}, {@code Orphan}, or null for the type's default
 */
public record Deletion(@Nullable Long gracePeriodSeconds, @Nullable String uid, @Nullable String resourceVersion,
        @Nullable String propagation) {
    /** Without conditions. */
    public static Deletion unconditional() {
        return new Deletion(null, null, null, null);
    }

    /** Only the object with this UID. */
    public static Deletion ofUid(@Nullable String uid) {
        return new Deletion(null, uid, null, null);
    }

    public Deletion withPropagation(String policy) {
        return new Deletion(gracePeriodSeconds, uid, resourceVersion, policy);
    }
}
