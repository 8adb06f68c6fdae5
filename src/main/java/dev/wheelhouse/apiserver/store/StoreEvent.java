package dev.wheelhouse.apiserver.store;

/**
 * One event of a watch.
 *
 * @param object its new state. For a deletion, or an object that left the selection, the last state, at the event's
 *         version
 */
public record StoreEvent(Type type, StoredObject object) {
    /** The types, named as in the watch protocol. */
    public enum Type {
        ADDED, MODIFIED, DELETED
    }
}
