package dev.wheelhouse.apiserver.store;

import org.jspecify.annotations.Nullable;

/** One committed write, with the whole state of its resource after it. */
final class Change {
    final long version;
    final StoredObject object;
    final @Nullable StoredObject previous;
    final boolean deletion;
    final SortedTree<StoredObject> after;
    final long nanos;
    private volatile @Nullable StoredObject asDeleted;

    /** @param object the state after the write; for a deletion, the last state, at the deletion's version */
    Change(StoredObject object, @Nullable StoredObject previous, boolean deletion, SortedTree<StoredObject> after,
            long nanos) {
        this.version = object.version();
        this.object = object;
        this.previous = previous;
        this.deletion = deletion;
        this.after = after;
        this.nanos = nanos;
    }

    /** The event that a watcher with this selection gets for the write, or null if the write does not concern it. */
    @Nullable
    StoreEvent seenBy(Selection selection) {
        boolean before = previous != null && selection.matches(previous);
        if (deletion) {
            return before ? new StoreEvent(StoreEvent.Type.DELETED, object) : null;
        }
        boolean now = selection.matches(object);
        if (now) {
            return new StoreEvent(before ? StoreEvent.Type.MODIFIED : StoreEvent.Type.ADDED, object);
        }
        return before ? new StoreEvent(StoreEvent.Type.DELETED, asDeleted()) : null;
    }

    /** The old state at the new version, which tells a watcher that the object left its selection. */
    private StoredObject asDeleted() {
        StoredObject known = asDeleted;
        if (known == null) {
            StoredObject old = previous;
            known = (old == null ? object : old).atVersion(version);
            asDeleted = known;
        }
        return known;
    }
}
