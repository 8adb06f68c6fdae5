package dev.wheelhouse.informer;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ObjectKey;

/**
 * One change of one object, as the watch told it. Deltas of one key are chained in their order.
 *
 * @param <T> the model class
 */
final class Delta<T> {
    /** What happened (upstream: {@code DeltaType}; {@code Replaced} and {@code Sync} concern the whole cache, see {@link DeltaFifo}). */
    enum Type {
        ADDED, UPDATED, DELETED
    }

    final Type type;
    final ObjectKey key;
    /** Null for a deletion whose last state could not be decoded. */
    final @Nullable T object;
    @Nullable
    Delta<T> next;

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
