package dev.wheelhouse.informer;

import java.time.Duration;

/** How one handler fares. Calls are noted by the listener's thread alone, conflations under its lock; any thread may read. */
final class HandlerStats {
    private volatile long calls;
    private volatile long failed;
    private volatile long nanos;
    private volatile long longestNanos;
    private volatile long conflations;

    /** A call took so long. One thread writes. */
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

    /** An update was merged. One thread at a time writes. */
    @SuppressWarnings("NonAtomicOperationOnVolatileField")
    void conflated() {
        conflations++;
    }

    InformerState.Handler state(String name, boolean synced, int pending) {
        return new InformerState.Handler(name, synced, pending, calls, failed, conflations, Duration.ofNanos(nanos),
                Duration.ofNanos(longestNanos));
    }
}
