package dev.wheelhouse.workqueue;

/**
 * A token bucket that may go into debt: each reservation takes one token and returns the wait in nanoseconds until that
 * token exists. Not thread safe.
 */
final class TokenBucket {
    private final double perNano;
    private final int burst;
    private double tokens;
    private long last;

    TokenBucket(double perSecond, int burst, long now) {
        this.perNano = perSecond / 1e9;
        this.burst = burst;
        this.tokens = burst;
        this.last = now;
    }

    boolean isFull(long now) {
        return tokens + (now - last) * perNano >= burst;
    }

    long reserveNanos(long now) {
        tokens = Math.min(burst, tokens + (now - last) * perNano) - 1;
        last = now;
        return tokens >= 0 ? 0 : (long) Math.ceil(-tokens / perNano);
    }
}
