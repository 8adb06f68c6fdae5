package dev.wheelhouse.informer;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ObjectKey;

/**
 * One change of one object, as a watch event reported it.
 *
 * @param <T> the model class
 * @param object null for a deletion whose object could not be decoded
 */
record Delta<T>(Type type, ObjectKey key, @Nullable T object) {
    /**
     * The kind of change (upstream: {@code DeltaType}). Upstream's {@code Replaced} and {@code Sync} concern the whole
     * cache; here they are steps of the {@link DeltaFifo}.
     */
    enum Type {
        ADDED, UPDATED, DELETED
    }

    @Override
    public String toString() {
        return type + " " + key;
    }
}
