package dev.wheelhouse.manager;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;

/**
 * Holds the workers of one controller between two syncs: all of them while it is paused, or those beyond a number. A
 * sync in progress goes on. Thread safe.
 */
final class WorkerGate {
    private final IntSupplier ready;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** Counts the calls of {@link #wake}. Guarded by the lock. */
    private int wakes;
    private volatile ControllerMode mode = ControllerMode.RUNNING;
    private volatile int width = Integer.MAX_VALUE;

    /** @param ready counts the keys that are ready to be taken */
    WorkerGate(IntSupplier ready) {
        this.ready = ready;
    }

    ControllerMode mode() {
        return mode;
    }

    void set(ControllerMode to) {
        mode = to;
        wake();
    }

    /** @param workers the number of workers of each queue that may work */
    void admit(int workers) {
        width = workers;
        wake();
    }

    /**
     * Records that a worker found no key. If the controller drains and none of its queues has a ready key, the
     * controller is paused now.
     */
    void foundNothing() {
        if (mode == ControllerMode.DRAINING && ready.getAsInt() == 0) {
            set(ControllerMode.PAUSED);
        }
    }

    /** @param worker the number of the worker in its queue, from 0; a negative number for other loops */
    boolean holds(int worker) {
        return worker >= 0 && (mode == ControllerMode.PAUSED || worker >= width);
    }

    /** Waits until the worker is no longer held, or the gate is woken. */
    void await(int worker, long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            int before = wakes;
            long left = nanos;
            while (holds(worker) && wakes == before && left > 0) {
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Lets all held workers look again. */
    void wake() {
        lock.lock();
        try {
            wakes++;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
