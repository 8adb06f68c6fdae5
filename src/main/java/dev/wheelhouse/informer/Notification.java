package dev.wheelhouse.informer;

/** A pending call of a handler. */
sealed interface Notification<T> {
    /**
     * @param initial whether the object is part of the initial list, or of the replay for a handler that was added
     *     later
     */
    record Add<T>(T object, boolean initial) implements Notification<T> {}

    record Update<T>(T before, T after) implements Notification<T> {}

    record Delete<T>(T object, boolean finalStateUnknown) implements Notification<T> {}

    default void deliver(ResourceEventHandler<? super T> handler) {
        switch (this) {
            case Add<T> add -> handler.onAdd(add.object(), add.initial());
            case Update<T> update -> handler.onUpdate(update.before(), update.after());
            case Delete<T> delete -> handler.onDelete(delete.object(), delete.finalStateUnknown());
        }
    }
}
