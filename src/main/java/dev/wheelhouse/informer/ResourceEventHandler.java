package dev.wheelhouse.informer;

/**
 * A receiver of one cache's changes. One thread at a time makes all calls of a registration. Per key the calls are in
 * order: {@code onAdd} first, {@code onDelete} last. A handler must not change the objects, because the cache shares
 * them. A handler that throws misses that notification only.
 */
public interface ResourceEventHandler<T> {
    /**
     * @param initial whether the object is part of the initial list, or of the replay for a handler that was added
     *     later
     */
    void onAdd(T object, boolean initial);

    void onUpdate(T before, T after);

    /**
     * @param object the last known state
     * @param finalStateUnknown whether the watch missed the deletion, so that the state may be outdated (upstream:
     *     {@code DeletedFinalStateUnknown})
     */
    void onDelete(T object, boolean finalStateUnknown);
}
