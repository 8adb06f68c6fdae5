package dev.wheelhouse.runtime;

/** A loop that waits until somebody wakes it: whoever has work for it, or who closes it. */
public abstract class SignalledLoop implements Loop {
    private final Signal signal = new Signal();
    private volatile boolean closed;

    /** Lets it step soon, as there is work. Any thread may call it. */
    public final void wake() {
        signal.raise();
    }

    /** Whether {@link #close()} was called: then a step does nothing and answers {@link #IDLE}. */
    protected final boolean isClosed() {
        return closed;
    }

    @Override
    public final void await(long nanos) throws InterruptedException {
        signal.await(nanos);
    }

    /** A subclass that has more to close does so, and calls this. */
    @Override
    public void close() {
        closed = true;
        wake();
    }
}
