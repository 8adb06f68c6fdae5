package dev.wheelhouse.runtime;

import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * A latch that any thread may raise and one thread awaits. A raise before the wait is not lost. Several raises before
 * one wait count as one. Raising a raised signal costs one volatile read.
 */
public final class Signal {
    private volatile boolean raised;
    private volatile @Nullable Thread waiter;

    /** Wakes the waiting thread; if none waits, the next wait returns at once. */
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
     * @param nanos the longest time to wait, in nanoseconds of real time; {@code Long.MAX_VALUE} means no limit
     * @return whether the signal was raised; false after a timeout
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
