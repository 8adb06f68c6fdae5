package dev.wheelhouse.testing;

import java.util.Locale;

/** The kinds of faults that an {@link OperatorSimulation} tries, each at every place where it can happen. */
public enum SimulatedFault {
    /** The operator's process ends before a write, and a new one with empty memory starts. */
    CRASH_BEFORE_WRITE(At.WRITE),
    /** The operator's process ends after a write, before it sees the answer, and a new one starts. */
    CRASH_AFTER_WRITE(At.WRITE),
    /**
     * The operator's process ends before a write, and its next version goes on, if the simulation has one
     * ({@link OperatorSimulation#upgradesTo}).
     */
    UPGRADE(At.WRITE),
    /** A write is answered by 409, as if somebody else had changed the object. */
    CONFLICT(At.WRITE),
    /** A write is answered by 500, and does not happen. */
    SERVER_ERROR(At.WRITE),
    /** A write gets no answer, and does not happen. */
    LOST_REQUEST(At.WRITE),
    /** A write gets no answer, although it happens. */
    LOST_ANSWER(At.WRITE),
    /**
     * The process stands still before a write and loses the lead. Another process does everything that is to be done.
     * Then the first one goes on with its old memory and caches, and ends.
     */
    TWO_LEADERS(At.WRITE),
    /** A watch delivers an event, and all that follow, two seconds late: the cache is stale. */
    LATE_WATCH(At.EVENT),
    /** The connection of a watch breaks before an event. */
    CUT_WATCH(At.EVENT),
    /** The connection of a watch breaks, and the server does not know the version any more: the cache lists again. */
    EXPIRED_WATCH(At.EVENT),
    /** The process ends while nothing is left to do, and a new one starts. */
    RESTART(At.STEP),
    /** The wall clock jumps forward by an hour. */
    CLOCK_FORWARD(At.STEP),
    /** The wall clock jumps back by an hour. */
    CLOCK_BACK(At.STEP),
    /** Somebody deletes an object that the operator created. */
    DELETED_CHILD(At.CHILD),
    /** Caches, handlers and workers take their turns in a random order. */
    ORDER(At.SEED);

    /** The places where a fault can happen. */
    enum At {
        WRITE, EVENT, STEP, CHILD, SEED
    }

    private final At at;

    SimulatedFault(At at) {
        this.at = at;
    }

    At at() {
        return at;
    }

    /** The name in stories and in {@link OperatorSimulation#only}, such as {@code crash-before-write}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
