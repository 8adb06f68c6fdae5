package dev.wheelhouse.manager;

import dev.wheelhouse.workqueue.RateLimits;

/**
 * Changes a controller while it runs. A change holds for all further lives of the controller in this process, and is
 * forgotten at its end. Thread safe.
 */
public interface ControllerControl {
    /** A limit on the number of workers of one queue. */
    int MOST_WORKERS = 1000;

    /** Pauses, drains or resumes the controller. Syncs in progress go on. */
    void turn(ControllerMode mode);

    /**
     * Queues keys whose last sync failed, without waiting for the end of their delays.
     *
     * @param key the key in words; empty for all
     * @return the number of these keys
     */
    int retry(String key);

    /**
     * Changes the number of workers of each queue.
     *
     * @throws IllegalArgumentException if {@code count} is not from 1 to {@link #MOST_WORKERS}
     */
    void workers(int count);

    /** Changes the limits of retries in each queue. */
    void limit(RateLimits limits);
}
