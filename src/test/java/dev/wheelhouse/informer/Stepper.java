package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.ManualClock;

/** Steps loops on one thread until all of them are idle. */
final class Stepper {
    final ManualClock clock = new ManualClock();
    private final Supplier<List<Loop>> loops;

    Stepper(Supplier<List<Loop>> loops) {
        this.loops = loops;
    }

    /** Steps until no loop has work at the current time. */
    void settle() {
        boolean busy = true;
        for (int rounds = 0; busy; rounds++) {
            if (rounds > 10_000) {
                throw new AssertionError("the loops do not come to rest");
            }
            busy = false;
            for (Loop loop : loops.get()) {
                busy |= step(loop) == Loop.BUSY;
            }
        }
    }

    static long step(Loop loop) {
        try {
            return loop.step();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Moves the clock in small steps, and settles after each. */
    void pass(Duration time) {
        settle();
        Duration piece = Duration.ofMillis(200);
        for (Duration left = time; left.isPositive(); left = left.minus(piece)) {
            clock.advance(left.compareTo(piece) < 0 ? left : piece);
            settle();
        }
    }
}
