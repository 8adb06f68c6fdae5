package dev.wheelhouse.controllers.garbagecollector;

import java.util.List;
import java.util.Set;

import dev.wheelhouse.controller.Action;

/** The result of a decision about one object. */
sealed interface CollectionDecision {
    /** Read these objects live, and decide again with the answers. */
    record Ask(List<Question> questions) implements CollectionDecision {}

    /** Do nothing now. */
    record Leave(String why) implements CollectionDecision {}

    /** Do nothing until a user changes the object. */
    record Terminal(String why) implements CollectionDecision {}

    /** The kind of the object or of an owner is unknown now. It may become known later. */
    record UnknownKind(String what) implements CollectionDecision {}

    /** The object does not exist: update the graph. */
    record Gone(ObjectRef identity) implements CollectionDecision {}

    /** Check these dependents first. */
    record DependentsFirst(List<String> uids) implements CollectionDecision {}

    /**
     * Execute actions.
     *
     * @param again whether to decide about the object again afterwards
     * @param absent owners that were found not to exist
     * @param orphaned dependents that the actions orphan, and those that were orphaned before
     */
    record Write(List<Action> actions, boolean again, List<ObjectRef> absent,
            Set<String> orphaned) implements CollectionDecision {
        Write(List<Action> actions, boolean again, List<ObjectRef> absent) {
            this(actions, again, absent, Set.of());
        }
    }
}
