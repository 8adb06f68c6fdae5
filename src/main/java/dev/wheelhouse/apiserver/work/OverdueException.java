package dev.wheelhouse.apiserver.work;

/** The request that this thread works on is past its deadline, or nobody waits for its answer any more. */
public final class OverdueException extends RuntimeException {
    OverdueException() {
        // No stack trace: a flood of overdue requests must stay cheap.
        super("request did not complete within the allotted timeout", null, false, false);
    }
}
