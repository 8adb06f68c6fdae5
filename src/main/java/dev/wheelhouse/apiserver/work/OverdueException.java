package dev.wheelhouse.apiserver.work;

/** The request that this thread works on is past its deadline, or nobody waits for its answer any more: the work ends here. */
public final class OverdueException extends RuntimeException {
    private static final long serialVersionUID = 1;

    OverdueException() {
        // Without a stack trace: a flood of overdue requests must not cost more than the work that it ends.
        super("request did not complete within the allotted timeout", null, false, false);
    }
}
