package dev.wheelhouse.scheduler;

import java.util.function.Predicate;

import dev.wheelhouse.api.ObjectKey;

/** A task for the deciding loop. */
sealed interface Task {
    /** Find a node for a pod. */
    record Schedule(ObjectKey pod) implements Task {}

    /** Try rejected pods again, because of a change that may help them. */
    record Reconsider(Cause cause) implements Task {}

    /** Try one pod again if its claims or volumes rejected it. */
    record ReconsiderOne(ObjectKey pod) implements Task {}

    /** The kind of a change, and the filters whose results it may change. */
    enum Cause {
        NODE_CHANGED(filter -> true), POD_DELETED(Filter::dependsOnRemovals), POD_ADDED(Filter::dependsOnAdditions),
        VOLUME_CHANGED(Filter::dependsOnVolumes);

        private final Predicate<Filter> mayChange;

        Cause(Predicate<Filter> mayChange) {
            this.mayChange = mayChange;
        }

        Predicate<Filter> mayChange() {
            return mayChange;
        }
    }
}
