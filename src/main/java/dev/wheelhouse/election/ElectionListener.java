package dev.wheelhouse.election;

/** Receives the events of an election. The elector's loop calls it, so it must not block. */
public interface ElectionListener {
    /** Ignores all events. */
    ElectionListener NONE = new ElectionListener() {
    };

    /** This process leads from now on. Called once for each lead. */
    default void startedLeading() {}

    /**
     * This process has lost the lead. It does not contend again, because its state in memory is outdated. Not called
     * for a close or a release of the elector, except for the lead of a shard.
     */
    default void stoppedLeading(String why) {}

    /** A renewal without a read, which client-go calls the fast path, failed. The elector reads the Lease next. */
    default void slowPathExercised() {}
}
