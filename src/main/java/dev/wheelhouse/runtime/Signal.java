package dev.wheelhouse.runtime;

import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * A latch that any thread raises and one thread awaits. A raise that comes before the wait is not lost; several raises
 * before one wait count as one. Raising it costs a volatile read when it is already raised.
 */
public final class Signal {
    private volatile boolean raised;
    private volatile @Nullable Thread waiter;

    /** Wakes the waiter, or lets the next wait return at once. */
    public void raise() {
        if (raised) {
            return;
        }
        raised = true;
        LockSupport.unpark(waiter);
    }

    /**
     * Waits until the signal is raised, and lowers it. Only one thread at a time may wait.
     *
     * @param nanos the longest time to wait, in nanoseconds of real time
     * @return whether it was raised
     * @throws InterruptedException if the thread was interrupted
     */
    public boolean await(long nanos) throws InterruptedException {
        if (take()) {
            return true;
        }
        waiter = Thread.currentThread();
        try {
            long deadline = nanos == Long.MAX_VALUE ? 0 : System.nanoTime() + nanos;
            while (!take()) {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                if (nanos == Long.MAX_VALUE) {
                    LockSupport.park(this);
                } else {
                    long left = deadline - System.nanoTime();
                    if (left <= 0) {
                        return take();
                    }
                    LockSupport.parkNanos(this, left);
                }
            }
            return true;
        } finally {
            waiter = null;
        }
    }

    private boolean take() {
        if (raised) {
            raised = false;
            return true;
        }
        return false;
    }
}
