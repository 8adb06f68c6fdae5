package dev.wheelhouse.apiserver.store;

/**
 * One event of a watch.
 *
 * @param object its state; of a deletion, or of an object that left the selection, the last state at the event's version
 */
public record StoreEvent(Type type, StoredObject object) {
    /** As the wire names them. */
    public enum Type {
        ADDED, MODIFIED, DELETED
    }
}
