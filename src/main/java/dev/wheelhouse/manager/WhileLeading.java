package dev.wheelhouse.manager;

import java.util.function.BooleanSupplier;

import dev.wheelhouse.runtime.Loop;

/** A loop that ends before its next step once this process does not lead any more. */
record WhileLeading(Loop loop, BooleanSupplier leads) implements Loop {
    @Override
    public long step() throws InterruptedException {
        if (!leads.getAsBoolean()) {
            throw new InterruptedException("this process no longer leads");
        }
        return loop.step();
    }

    @Override
    public void await(long nanos) throws InterruptedException {
        loop.await(nanos);
    }

    @Override
    public void close() {
        loop.close();
    }
}
