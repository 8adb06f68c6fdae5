package dev.wheelhouse.journal;

/**
 * Why and when a key was queued for a sync.
 *
 * @param cause the first event that added the key
 * @param further the number of further events before the key was taken
 * @param waitedNanos the nanoseconds from the first event until the key was taken
 */
public record Origin(Cause cause, int further, long waitedNanos) {
    /** The origin of writes outside of a sync. */
    public static final Origin NONE = new Origin(Cause.ITSELF, 0, 0);
}
