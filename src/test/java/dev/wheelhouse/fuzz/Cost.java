package dev.wheelhouse.fuzz;

import java.lang.management.ManagementFactory;

import com.sun.management.ThreadMXBean;

/** Runs a target and holds it to its bounds of time and memory. */
final class Cost {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    /** The first runs load classes, and any run may be the one in which the compiler or the collector works. */
    private static final int TRIES = 3;

    private Cost() {}

    static void run(FuzzTarget target, byte[] input) throws Throwable {
        for (int tries = 1;; tries++) {
            long nanos = THREADS.getCurrentThreadCpuTime();
            long bytes = THREADS.getCurrentThreadAllocatedBytes();
            target.run(input);
            nanos = THREADS.getCurrentThreadCpuTime() - nanos;
            bytes = THREADS.getCurrentThreadAllocatedBytes() - bytes;
            if (nanos <= target.mostNanos(input.length) && bytes <= target.mostAllocated(input.length)) {
                return;
            }
            if (tries == TRIES) {
                throw new AssertionError("an input of " + input.length + " bytes took " + nanos / 1_000_000
                        + " ms of CPU time and allocated " + (bytes >> 10) + " KiB");
            }
        }
    }
}
