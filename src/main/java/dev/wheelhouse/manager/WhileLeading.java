package dev.wheelhouse.manager;

import java.util.function.BooleanSupplier;

import dev.wheelhouse.controller.Worker;
import dev.wheelhouse.runtime.Loop;

/**
 * A loop that ends before its next step once this process does not lead any more, and that waits while the valve holds
 * it.
 *
 * @param number the number of the worker in its queue, from 0; -1 for other loops
 */
record WhileLeading(Loop loop, BooleanSupplier leads, Valve valve, int number) implements Loop {
    @Override
    public long step() throws InterruptedException {
        if (!leads.getAsBoolean()) {
            throw new InterruptedException("this process no longer leads");
        }
        if (valve.holds(number)) {
            if (loop instanceof Worker<?> worker) {
                worker.passOn();
            }
            return IDLE;
        }
        long wait = loop.step();
        if (wait != BUSY && number >= 0) {
            valve.foundNothing();
        }
        return wait;
    }

    @Override
    public void await(long nanos) throws InterruptedException {
        boolean held = valve.holds(number);
        if (held) {
            valve.await(number, nanos);
        }
        // A loop that was closed in the meantime throws here.
        loop.await(held ? 0 : nanos);
    }

    @Override
    public void close() {
        loop.close();
        valve.wake();
    }
}
