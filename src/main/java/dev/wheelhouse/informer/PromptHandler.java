package dev.wheelhouse.informer;

/**
 * A handler whose calls return promptly: they wait for nothing, and do little more than to put keys into queues. The
 * prompt handlers of one cache share a thread, so that a change wakes one thread and not one for each handler.
 */
record PromptHandler<T>(ResourceEventHandler<T> handler) implements ResourceEventHandler<T> {
    @Override
    public void onAdd(T object, boolean initial) {
        handler.onAdd(object, initial);
    }

    @Override
    public void onUpdate(T before, T after) {
        handler.onUpdate(before, after);
    }

    @Override
    public void onDelete(T object, boolean finalStateUnknown) {
        handler.onDelete(object, finalStateUnknown);
    }
}
