package dev.wheelhouse.election;

/** Receives the events of an election. The elector's loop calls it, so it must not block. */
public interface ElectionListener {
    /** Ignores all events. */
    ElectionListener NONE = new ElectionListener() {
    };

    /** This process leads from now on. */
    default void startedLeading() {}

    /** This process has lost the lead. It does not contend again, because its state in memory is outdated. */
    default void stoppedLeading(String why) {}

    /** A renewal in one write, the fast path of client-go, failed, so that the Lease has to be read first. */
    default void slowPathExercised() {}
}
