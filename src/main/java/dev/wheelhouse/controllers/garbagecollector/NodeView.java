package dev.wheelhouse.controllers.garbagecollector;

import java.util.List;

/**
 * A copy of what the graph knows of one object.
 *
 * @param observed whether an informer has shown it, rather than only a dependent
 * @param deletingDependents whether it is being deleted in the foreground
 */
record NodeView(ObjectRef identity, boolean observed, boolean beingDeleted, boolean deletingDependents,
        List<Dependent> dependents) {

    /** @param blocking whether its reference keeps the owner from going before it */
    record Dependent(ObjectRef identity, boolean deletingDependents, boolean blocking) {}
}
