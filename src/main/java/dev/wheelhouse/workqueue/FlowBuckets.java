package dev.wheelhouse.workqueue;

import java.util.HashMap;
import java.util.Map;

/**
 * One token bucket per flow, so that failing keys of one flow do not delay those of another. A flow whose bucket is
 * full again has not failed for a while; its bucket is dropped. Guarded by the queue's lock.
 */
final class FlowBuckets {
    private static final int FEW = 64;

    private final RateLimits limits;
    private final Map<Object, TokenBucket> buckets = new HashMap<>();
    private int sweepAt = FEW;

    FlowBuckets(RateLimits limits) {
        this.limits = limits;
    }

    /** Takes a token of a flow and returns how long the failed key has to wait for it, in nanoseconds. */
    long reserveNanos(Object flow, long now) {
        if (buckets.size() >= sweepAt) {
            buckets.values().removeIf(bucket -> bucket.isFull(now));
            sweepAt = Math.max(FEW, buckets.size() * 2);
        }
        return buckets.computeIfAbsent(flow, f -> new TokenBucket(limits.perSecond(), limits.burst(), now))
                .reserveNanos(now);
    }

    int size() {
        return buckets.size();
    }
}
