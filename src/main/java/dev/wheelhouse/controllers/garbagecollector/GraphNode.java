package dev.wheelhouse.controllers.garbagecollector;

import java.util.List;

/**
 * A copy of the graph's node of one object.
 *
 * @param observed whether an informer has shown the object; false if only dependents name it
 * @param beingDeleted whether the object has a deletion timestamp
 * @param deletingDependents whether the object is being deleted in the foreground
 */
record GraphNode(ObjectRef identity, boolean observed, boolean beingDeleted, boolean deletingDependents,
        List<Dependent> dependents) {

    /** @param blocking whether its owner reference blocks the deletion of the owner */
    record Dependent(ObjectRef identity, boolean deletingDependents, boolean blocking) {}
}
