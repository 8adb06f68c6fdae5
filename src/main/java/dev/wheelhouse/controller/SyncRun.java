package dev.wheelhouse.controller;

import java.util.List;

import dev.wheelhouse.controller.ActionExecutor.Outcome;

/**
 * One run of the sync of one key. A sync changes everything by its run only: objects by {@link #execute}, what the
 * controller remembers and counts by {@link #effect} and {@link #count}. So the same sync shows what it would do, if
 * its run only records. Only the thread of the sync uses it.
 */
public interface SyncRun {
    /**
     * Executes the actions in order. Stops after the first write, batch or live check that fails. A run that only
     * records answers each write with success, with the object to be written.
     *
     * @return what was done, and the first failure, if any
     */
    Outcome execute(List<Action> actions);

    /**
     * Does something else than a write that follows from what the sync does, such as remembering a write or adding a
     * key. A run that only records skips it.
     */
    void effect(Runnable effect);

    /**
     * Remembers what the sync has seen, such as since when an object is in a state. A controller that only observes
     * remembers it, too. A run that somebody asks for a plan does not.
     */
    void note(Runnable memory);

    /** Counts in a metric that upstream's controller has too. A run that only records counts nothing. */
    void count(Measure measure, double value, String... labels);

    /** Drops everything that is recorded about the key, because its object is gone. */
    void forget();

    /** Whether writes are sent. A run that only records sends none. */
    boolean writes();
}
