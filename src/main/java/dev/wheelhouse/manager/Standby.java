package dev.wheelhouse.manager;

/** Whether a process has caches while it stands by, that is, while another process leads. */
public enum Standby {
    /**
     * The caches run, so that this process takes over within a second. It needs as much memory as the leader, and the
     * API server serves each watch twice.
     */
    WARM,
    /** There are no caches. A process that takes over first lists everything. */
    COLD
}
