package dev.wheelhouse.controllers.garbagecollector;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.runtime.OneLine;

/**
 * The key of a check of one object. Attempts with the same kind and UID are equal, whatever coordinates the dependents
 * of an owner give.
 */
record ObjectCheck(Kind kind, ObjectRef object) {
    private static final int LONGEST = 500;

    /** The check: whether to delete the object, or to remove the references to it from its dependents. */
    enum Kind {
        DELETE, ORPHAN
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ObjectCheck that && kind == that.kind && object.uid().equals(that.object.uid());
    }

    @Override
    public int hashCode() {
        return object.uid().hashCode();
    }

    /** The object in words, such as {@code default/ReplicaSet:web}. The writer of a reference may choose any. */
    @Override
    public String toString() {
        return OneLine.of(new ObjectKey(object.namespace(), object.kind() + ":" + object.name()).toString(), LONGEST);
    }
}
