package dev.wheelhouse.scheduler;

import java.util.function.Predicate;

import dev.wheelhouse.api.ObjectKey;

/** What waits for the deciding loop. */
sealed interface Task {
    /** Find a node for a pod. */
    record Place(ObjectKey pod) implements Task {}

    /** Something happened that may help pods that fitted nowhere. */
    record Reconsider(Cause cause) implements Task {}

    /** What happened, and whose mind it may change. */
    enum Cause {
        NODE_CHANGED(filter -> true), POD_GONE(Filter::mindsPodsThatGo), POD_CAME(Filter::mindsPodsThatCome);

        private final Predicate<Filter> mayChange;

        Cause(Predicate<Filter> mayChange) {
            this.mayChange = mayChange;
        }

        Predicate<Filter> mayChange() {
            return mayChange;
        }
    }
}
