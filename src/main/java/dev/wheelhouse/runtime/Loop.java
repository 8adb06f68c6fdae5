package dev.wheelhouse.runtime;

/**
 * A long-running activity in steps, so that a thread, a test or a simulation can drive it. In production a
 * {@link LoopRunner} gives each loop a thread; a test steps loops by hand.
 *
 * <p>Only one thread at a time calls {@link #step()} and {@link #await}; any thread may call {@link #close()}. After
 * {@code close()}, a step does nothing and returns {@link #IDLE}, and a thread inside {@code await} leaves it soon.
 */
public interface Loop extends AutoCloseable {
    /** The result of {@link #step()} if more work is ready now. */
    long BUSY = 0;

    /** The result of {@link #step()} if no work comes until another thread wakes the loop. */
    long IDLE = Long.MAX_VALUE;

    /**
     * Does at most one unit of work. It never waits for work to arrive. I/O inside a step may block, up to the deadline
     * of that I/O.
     *
     * @return the time until the next step is due, in nanoseconds of the loop's clock: {@link #BUSY}, a delay, or
     *     {@link #IDLE}
     * @throws InterruptedException if the thread was asked to stop
     */
    long step() throws InterruptedException;

    /**
     * Waits until there may be work, at most {@code nanos} nanoseconds. It may return early. Only production drivers
     * call it; tests and simulations step again instead.
     *
     * @throws InterruptedException if the thread was interrupted; some loops also throw it when they are closed
     */
    void await(long nanos) throws InterruptedException;

    /** Asks the loop to end, without waiting for it. May be called more than once. */
    @Override
    void close();
}
