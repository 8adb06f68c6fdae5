package dev.wheelhouse.manager;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import dev.wheelhouse.controller.Worker;
import dev.wheelhouse.runtime.Loop;

/**
 * Wraps a loop of a controller: ends it before its next step once the process may not act any more, and lets it wait
 * while the {@link WorkerGate} holds it.
 */
final class WhileLeading implements Loop {
    private final Loop loop;
    private final BooleanSupplier acts;
    private final WorkerGate gate;
    private final int number;
    /** Held by a step. */
    private final ReentrantLock turn = new ReentrantLock();

    /**
     * @param acts whether this process leads and goes on
     * @param number the number of the worker in its queue, from 0; -1 for other loops
     */
    WhileLeading(Loop loop, BooleanSupplier acts, WorkerGate gate, int number) {
        this.loop = loop;
        this.acts = acts;
        this.gate = gate;
        this.number = number;
    }

    Loop loop() {
        return loop;
    }

    @Override
    public long step() throws InterruptedException {
        turn.lock();
        try {
            return takeTurn();
        } finally {
            turn.unlock();
        }
    }

    private long takeTurn() throws InterruptedException {
        if (!acts.getAsBoolean()) {
            throw new InterruptedException("this process no longer leads, or it stops");
        }
        if (gate.holds(number)) {
            if (loop instanceof Worker<?> worker) {
                worker.passOn();
            }
            return IDLE;
        }
        long wait = loop.step();
        if (wait != BUSY && number >= 0) {
            gate.foundNothing();
        }
        return wait;
    }

    /**
     * Waits for the end of the step that is under way. If the loop may not act any more, no other step follows.
     * @return false if the step is still under way after {@code within}
     */
    boolean awaitStep(Duration within) throws InterruptedException {
        boolean ended = turn.tryLock(Math.max(0, within.toNanos()), TimeUnit.NANOSECONDS);
        if (ended) {
            turn.unlock();
        }
        return ended;
    }

    @Override
    public void await(long nanos) throws InterruptedException {
        boolean held = gate.holds(number);
        if (held) {
            gate.await(number, nanos);
        }
        // A loop that was closed in the meantime throws here, which ends its thread.
        loop.await(held ? 0 : nanos);
    }

    @Override
    public void close() {
        loop.close();
        gate.wake();
    }
}
