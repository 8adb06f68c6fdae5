package dev.wheelhouse.fake;

import java.util.Collection;

import dev.wheelhouse.runtime.Loop;

/** Steps loops until they have nothing to do at the current time. */
public final class Stepped {
    private static final int ENDLESS = 10_000;

    private Stepped() {}

    /** Steps the loops without delivering changes. */
    public static void work(Collection<Loop> loops) throws InterruptedException {
        for (int i = 0; step(loops); i++) {
            check(i);
        }
    }

    /** Delivers changes and steps until nothing happens. */
    public static void settle(FakeInformers informers, Collection<Loop> loops) throws InterruptedException {
        for (int i = 0; informers.deliver() | step(loops); i++) {
            check(i);
        }
    }

    private static boolean step(Collection<Loop> loops) throws InterruptedException {
        boolean busy = false;
        for (Loop loop : loops) {
            busy |= loop.step() == Loop.BUSY;
        }
        return busy;
    }

    private static void check(int rounds) {
        if (rounds > ENDLESS) {
            throw new AssertionError("it does not come to rest");
        }
    }
}
