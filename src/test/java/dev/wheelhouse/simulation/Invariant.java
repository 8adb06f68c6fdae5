package dev.wheelhouse.simulation;

import java.util.List;

/**
 * A rule about the writes of managers. It judges a write by what the manager that writes has read. One instance serves
 * one run, and may keep what it has seen.
 */
interface Invariant {
    /**
     * Judges a write of the leading manager, before it is made.
     *
     * @return what the write would violate if it succeeded, a sentence each
     */
    default List<String> before(Write write) {
        return List.of();
    }

    /**
     * Judges a write of a deposed manager, before it is made. {@link Checks} has judged its preconditions.
     *
     * @param created the number of objects that the manager has created for the same owner since it was deposed, this
     *     one included; 0 if this is no creation
     */
    default List<String> late(Write write, int created) {
        return List.of();
    }

    /** Whether a late write does no harm although it has no precondition. */
    default boolean isHarmlessWhenLate(Write write) {
        return false;
    }

    /** Sees a write of any manager that has succeeded. */
    default void after(Write write) {}

    /** Judges the server's content at the end, when nothing is left to do. */
    default List<String> atEnd() {
        return List.of();
    }
}
