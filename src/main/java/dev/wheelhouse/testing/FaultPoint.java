package dev.wheelhouse.testing;

import org.jspecify.annotations.Nullable;

/**
 * One fault at one place of a scenario.
 *
 * @param at the number of the write, event or step, or the seed
 * @param created the object to delete; null for other faults
 */
record FaultPoint(SimulatedFault fault, int at, SimulatedRun.@Nullable Created created) {
    FaultPoint(SimulatedFault fault, int at) {
        this(fault, at, null);
    }

    SimulatedRun.Created child() {
        if (created == null) {
            throw new IllegalStateException(this + " deletes no object");
        }
        return created;
    }

    /** The name by which a run is repeated, such as {@code crash-before-write-3}. */
    @Override
    public String toString() {
        return fault + "-" + at;
    }
}
