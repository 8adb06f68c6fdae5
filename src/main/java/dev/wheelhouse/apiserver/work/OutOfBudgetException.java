package dev.wheelhouse.apiserver.work;

/** The work of a request needs more memory than is available. It has no stack trace, so that refusals stay cheap. */
public final class OutOfBudgetException extends RuntimeException {
    private final long bytes;
    private final boolean worthRetrying;

    /** @param worthRetrying whether the memory would be available after other requests have ended */
    public OutOfBudgetException(long bytes, boolean worthRetrying) {
        super("the request needs about " + bytes + " bytes of memory, more than are available", null, false, false);
        this.bytes = bytes;
        this.worthRetrying = worthRetrying;
    }

    /** The memory that was needed, an estimate. */
    public long bytes() {
        return bytes;
    }

    public boolean isWorthRetrying() {
        return worthRetrying;
    }
}
