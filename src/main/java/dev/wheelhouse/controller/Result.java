package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.Objects;

import dev.wheelhouse.api.PublicApi;

/** The outcome of one sync of a key. Each outcome is counted. No outcome drops a key for good. */
@PublicApi
public sealed interface Result {
    /** The object is in its desired state. The next change syncs it again. */
    record Done() implements Result {
        private static final Done DONE = new Done();
    }

    /**
     * Sync again after a delay, without counting a failure. A delay of less than a millisecond counts as
     * {@link Requeue}, so that the key does not spin. A log line names the first that is zero or negative. If another
     * event leads to a sync before, that sync's result counts instead of this delay.
     */
    record RequeueAfter(Duration delay) implements Result {
        public RequeueAfter {
            Objects.requireNonNull(delay, "requeueAfter needs a delay: return done() for none");
        }
    }

    /** Sync again after the rate limiter's delay, which doubles each time. Nothing failed. */
    record Requeue() implements Result {}

    /** The sync failed. Sync again after the rate limiter's delay. */
    record Retry(Throwable cause) implements Result {
        public Retry {
            Objects.requireNonNull(cause, "retry needs its cause: return requeue() for none");
        }
    }

    /** The sync cannot succeed until a user changes the object. Logged once, not retried. */
    record Terminal(String reason) implements Result {}

    /** The outcome in metrics and traces: {@code done}, {@code requeue_after}, {@code retry} and so on. */
    default String label() {
        return switch (this) {
            case Done done -> "done";
            case RequeueAfter after -> "requeue_after";
            case Requeue requeue -> "requeue";
            case Retry retry -> "retry";
            case Terminal terminal -> "terminal";
        };
    }

    static Result done() {
        return Done.DONE;
    }

    static Result requeueAfter(Duration delay) {
        return new RequeueAfter(delay);
    }

    static Result requeue() {
        return new Requeue();
    }

    static Result retry(Throwable cause) {
        return new Retry(cause);
    }

    static Result terminal(String reason) {
        return new Terminal(reason);
    }
}
