package dev.wheelhouse.workqueue;

/**
 * The order of ready keys. Waiting makes up for a low priority, so that no key starves
 * ({@link RateLimitingQueue#DEFAULT_AGING}).
 */
public enum Priority {
    /** The object has just changed. */
    LIVE,
    /** The key can wait, for example after an initial list or a resync. */
    BACKGROUND
}
