package dev.wheelhouse.manager;

import java.time.Duration;
import java.util.SplittableRandom;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.runtime.Backoff;
import dev.wheelhouse.runtime.SignalledLoop;

/** Runs a controller's {@link Preparation}, so that a slow API server delays no other controller. */
final class PreparationLoop extends SignalledLoop {
    private static final Logger log = LoggerFactory.getLogger(PreparationLoop.class);

    private static final Duration LOOK_AGAIN = Duration.ofSeconds(2);

    private final Preparation preparation;
    private final ControllerContext context;
    private final Runnable changed;
    private final Backoff backoff;
    private long nextAttempt;
    private volatile State state = new State(Doing.NOTHING, "");

    private enum Doing {
        NOTHING, BEGUN, WAITS, FAILS, DONE
    }

    private record State(Doing doing, String why) {}

    /** @param changed called on the thread that steps this loop, whenever the result has changed */
    PreparationLoop(Preparation preparation, ControllerContext context, Runnable changed) {
        this.preparation = preparation;
        this.context = context;
        this.changed = changed;
        this.backoff = new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(1), 2, 0.1, Duration.ofMinutes(5),
                context.clock(), new SplittableRandom());
    }

    /**
     * Begins the preparation, unless it has begun.
     * @return whether it is done
     */
    boolean isDone() {
        if (state.doing == Doing.NOTHING) {
            state = new State(Doing.BEGUN, "");
            wake();
        }
        return state.doing == Doing.DONE;
    }

    /** Lets the next {@link #isDone} begin anew. */
    void reset() {
        state = new State(Doing.NOTHING, "");
    }

    /** The sentence of the last failure; empty if the last attempt did not fail. */
    String failure() {
        return state.doing == Doing.FAILS ? state.why : "";
    }

    /** The reason to wait, in a sentence; empty if there is none. */
    String waitsFor() {
        return state.doing == Doing.WAITS ? state.why : "";
    }

    @Override
    public long step() {
        State before = state;
        if (isClosed() || before.doing == Doing.NOTHING || before.doing == Doing.DONE) {
            return IDLE;
        }
        long left = before.doing == Doing.BEGUN ? 0 : nextAttempt - context.clock().nanoTime();
        if (left > 0) {
            return left;
        }
        State next = attempt();
        Duration pause = next.doing == Doing.FAILS ? backoff.next() : LOOK_AGAIN;
        nextAttempt = context.clock().deadline(pause);
        state = next;
        boolean isNew = !next.equals(before);
        if (next.doing == Doing.FAILS && (isNew || isDueAgain())) {
            log.error(next.why);
        }
        if (isNew) {
            changed.run();
        }
        return next.doing == Doing.DONE ? IDLE : pause.toNanos();
    }

    /** Whether a failure that goes on is said again: after two minutes, ten, half an hour, and so on. */
    private boolean isDueAgain() {
        return backoff.failures() >= 8 && Integer.bitCount(backoff.failures()) == 1;
    }

    private State attempt() {
        try {
            String why = preparation.prepare(context);
            return new State(why.isEmpty() ? Doing.DONE : Doing.WAITS, why);
        } catch (RuntimeException e) {
            return new State(Doing.FAILS, String.valueOf(e.getMessage()));
        }
    }
}
