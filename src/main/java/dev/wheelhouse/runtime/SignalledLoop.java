package dev.wheelhouse.runtime;

/** A loop that waits on a {@link Signal}: {@link #wake()} and {@link #close()} end the wait. */
public abstract class SignalledLoop implements Loop {
    private final Signal signal;
    private volatile boolean closed;

    protected SignalledLoop() {
        this(new Signal());
    }

    /** @param signal ends the wait, too; loops that one thread runs share it */
    protected SignalledLoop(Signal signal) {
        this.signal = signal;
    }

    /** Tells the loop that there is work. Any thread may call it. */
    public final void wake() {
        signal.raise();
    }

    /** Whether {@link #close()} was called. The subclass's step then does nothing and returns {@link #IDLE}. */
    public final boolean isClosed() {
        return closed;
    }

    /** @throws InterruptedException if the thread was interrupted, or the loop is closed: its thread ends */
    @Override
    public final void await(long nanos) throws InterruptedException {
        if (!closed) {
            signal.await(nanos);
        }
        if (closed) {
            throw new InterruptedException("the loop was closed");
        }
    }

    /** Ends the loop. A subclass that overrides it, to close more, calls {@code super.close()}. */
    @Override
    public void close() {
        closed = true;
        wake();
    }
}
