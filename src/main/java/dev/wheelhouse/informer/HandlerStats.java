package dev.wheelhouse.informer;

import java.time.Duration;

/**
 * Statistics of one handler's calls. Only the listener's thread records calls; conflations are recorded under the
 * listener's lock. Any thread may read.
 */
final class HandlerStats {
    private volatile long calls;
    private volatile long failed;
    private volatile long nanos;
    private volatile long longestNanos;
    private volatile long conflations;

    /** Records a call and its duration in nanoseconds. Only one thread calls it. */
    @SuppressWarnings("NonAtomicOperationOnVolatileField")
    void handled(long took, boolean threw) {
        nanos += took;
        if (took > longestNanos) {
            longestNanos = took;
        }
        if (threw) {
            failed++;
        }
        calls++;
    }

    /** Records a merged update. Only one thread at a time calls it. */
    @SuppressWarnings("NonAtomicOperationOnVolatileField")
    void conflated() {
        conflations++;
    }

    InformerState.Handler state(String name, boolean synced, int pending) {
        return new InformerState.Handler(name, synced, pending, calls, failed, conflations, Duration.ofNanos(nanos),
                Duration.ofNanos(longestNanos));
    }
}
