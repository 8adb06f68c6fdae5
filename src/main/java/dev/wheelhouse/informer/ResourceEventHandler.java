package dev.wheelhouse.informer;

import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

/**
 * A receiver of one cache's changes. Only one thread at a time calls a registered handler. The calls for one key are in
 * order: {@code onAdd}, updates, {@code onDelete}; then again {@code onAdd}, if the object is created anew. A handler
 * must not change the objects, because the cache shares them. A handler that throws misses that notification only.
 * A method that is not overridden does nothing.
 */
public interface ResourceEventHandler<T> {
    /**
     * A handler to which additions, updates and deletions are one thing: an object that changes.
     *
     * @param change takes the object before the change, null if it was added, and after it, null if it was deleted
     */
    static <T> ResourceEventHandler<T> of(BiConsumer<@Nullable T, @Nullable T> change) {
        return new ResourceEventHandler<>() {
            @Override
            public String name() {
                return nameOf(change);
            }

            @Override
            public void onAdd(T object, boolean initial) {
                change.accept(null, object);
            }

            @Override
            public void onUpdate(T before, T after) {
                change.accept(before, after);
            }

            @Override
            public void onDelete(T object, boolean finalStateUnknown) {
                change.accept(object, null);
            }
        };
    }

    private static String nameOf(Object receiver) {
        String name = receiver.getClass().getName();
        int lambda = name.indexOf("$$Lambda");
        name = lambda < 0 ? name : name.substring(0, lambda);
        return name.substring(name.lastIndexOf('.') + 1);
    }

    /** The handler's name in states, logs and thread names; by default that of its class. */
    default String name() {
        return nameOf(this);
    }

    /**
     * @param initial whether the object is part of the initial list, or of the replay for a handler that was added
     *     later
     */
    default void onAdd(T object, boolean initial) {}

    /**
     * The object changed, or a resync is due: then {@code before} and {@code after} are the same instance. If the
     * handler is slow, one call may cover several changes.
     */
    default void onUpdate(T before, T after) {}

    /**
     * @param object the last known state
     * @param finalStateUnknown whether the watch missed the deletion, so that the state may be outdated (upstream:
     *     {@code DeletedFinalStateUnknown})
     */
    default void onDelete(T object, boolean finalStateUnknown) {}
}
