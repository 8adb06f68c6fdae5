package dev.wheelhouse.workqueue;

import java.util.HashMap;
import java.util.Map;

/**
 * A token bucket for each flow, so that the failing keys of one do not make those of another wait. A flow that has not failed for
 * so long that its bucket is full again is forgotten. Guarded by the queue's lock.
 */
final class FlowBuckets {
    private static final int FEW = 64;

    private final RateLimits limits;
    private final Map<Object, TokenBucket> buckets = new HashMap<>();
    private int sweepAt = FEW;

    FlowBuckets(RateLimits limits) {
        this.limits = limits;
    }

    /** How long a failed key of a flow has to wait, in nanoseconds. */
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
