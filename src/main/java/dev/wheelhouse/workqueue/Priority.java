package dev.wheelhouse.workqueue;

/**
 * The priority of a ready key. A {@code LIVE} key goes before a {@code BACKGROUND} key, unless the latter has waited
 * much longer ({@link RateLimitingQueue#DEFAULT_AGING}), so that no key starves.
 */
public enum Priority {
    /** The object has just changed. */
    LIVE,
    /** The key can wait, for example after an initial list or a resync. */
    BACKGROUND
}
