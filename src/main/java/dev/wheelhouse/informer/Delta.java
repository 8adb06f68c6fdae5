package dev.wheelhouse.informer;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ObjectKey;

/**
 * One change of one object, as a watch event reported it.
 *
 * @param <T> the model class
 */
final class Delta<T> {
    /**
     * The kind of change (upstream: {@code DeltaType}). Upstream's {@code Replaced} and {@code Sync} concern the whole
     * cache; here they are steps of the {@link DeltaFifo}.
     */
    enum Type {
        ADDED, UPDATED, DELETED
    }

    final Type type;
    final ObjectKey key;
    /** Null for a deletion whose object could not be decoded. */
    final @Nullable T object;

    Delta(Type type, ObjectKey key, @Nullable T object) {
        this.type = type;
        this.key = key;
        this.object = object;
    }

    @Override
    public String toString() {
        return type + " " + key;
    }
}
