package dev.wheelhouse.controllers.garbagecollector;

import java.util.List;
import java.util.Set;

import dev.wheelhouse.controller.Action;

/** What is to be done about one object. */
sealed interface Verdict {
    /** Read these live, and ask again with the answers. */
    record Ask(List<Question> questions) implements Verdict {}

    /** Nothing, for now. */
    record Leave(String why) implements Verdict {}

    /** Nothing, ever, unless somebody changes the object. */
    record Hopeless(String why) implements Verdict {}

    /** Its kind, or an owner's, is not known; it may become known. */
    record UnknownKind(String what) implements Verdict {}

    /** There is no such object: tell the graph. */
    record Gone(ObjectRef identity) implements Verdict {}

    /** See to its dependents first. */
    record DependentsFirst(List<String> uids) implements Verdict {}

    /**
     * Write.
     *
     * @param again whether the object has to be looked at again afterwards
     * @param absent owners that were found not to exist
     * @param orphaned dependents that this orphans
     */
    record Write(List<Action> actions, boolean again, List<ObjectRef> absent,
            Set<String> orphaned) implements Verdict {
        Write(List<Action> actions, boolean again, List<ObjectRef> absent) {
            this(actions, again, absent, Set.of());
        }
    }
}
