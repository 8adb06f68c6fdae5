package dev.wheelhouse.controller;

import java.time.Duration;

/** How one sync of a key ended. Each outcome is counted; none drops a key for good. */
public sealed interface Result {
    /** In the wanted state; the key comes back with the next change. */
    record Done() implements Result {}

    /** Come back after a delay, without counting a failure. */
    record RequeueAfter(Duration delay) implements Result {}

    /** Failed; come back after the rate limiter's delay. */
    record Retry(Throwable cause) implements Result {}

    /** Cannot succeed until somebody changes the object; said once, not retried. */
    record Terminal(String reason) implements Result {}

    static Result done() {
        return DoneHolder.DONE;
    }

    static Result requeueAfter(Duration delay) {
        return new RequeueAfter(delay);
    }

    static Result retry(Throwable cause) {
        return new Retry(cause);
    }

    static Result terminal(String reason) {
        return new Terminal(reason);
    }
}

final class DoneHolder {
    static final Result DONE = new Result.Done();

    private DoneHolder() {}
}
