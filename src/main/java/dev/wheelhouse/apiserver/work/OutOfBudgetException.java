package dev.wheelhouse.apiserver.work;

/** The work of a request needs more memory than there is for it. */
public final class OutOfBudgetException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final long bytes;
    private final boolean worthRetrying;

    /** @param worthRetrying whether there is enough once other requests are done */
    public OutOfBudgetException(long bytes, boolean worthRetrying) {
        super("the work of a request needs some " + bytes + " bytes, which there are not", null, false, false);
        this.bytes = bytes;
        this.worthRetrying = worthRetrying;
    }

    /** About how many bytes were needed. */
    public long bytes() {
        return bytes;
    }

    public boolean isWorthRetrying() {
        return worthRetrying;
    }
}
