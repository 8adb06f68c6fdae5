package dev.wheelhouse.informer;

/**
 * Hears of the changes of one cache. All calls of one registration come from one thread at a time, per key in order: first
 * {@code onAdd}, last {@code onDelete}. Objects are the cache's own: never change them. A handler that throws loses its turn
 * and nothing else.
 */
public interface ResourceEventHandler<T> {
    /** @param initial whether the object is part of the initial list */
    void onAdd(T object, boolean initial);

    void onUpdate(T before, T after);

    /**
     * @param object the last known state
     * @param finalStateUnknown the deletion itself went unseen, so that the state may be old (upstream:
     *     {@code DeletedFinalStateUnknown})
     */
    void onDelete(T object, boolean finalStateUnknown);
}
