package dev.wheelhouse.election;

/** What an election tells. It is called by the elector's loop, and must not block. */
public interface ElectionListener {
    /** Nobody listens. */
    ElectionListener NONE = new ElectionListener() {
    };

    /** This process leads from now on. */
    default void startedLeading() {}

    /** This process led and does so no more. It does not try again: what it has in memory is old. */
    default void stoppedLeading(String why) {}

    /** A renewal did not work at once, so that the Lease had to be read. */
    default void renewedTheSlowWay() {}
}
