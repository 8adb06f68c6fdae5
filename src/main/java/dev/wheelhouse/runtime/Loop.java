package dev.wheelhouse.runtime;

/**
 * Something that runs for as long as the process does, cut into steps. Who drives it is someone else's business: a
 * {@link LoopRunner} gives it a thread in production; a test, or a simulation, steps it by hand.
 *
 * <p>One thread at a time calls {@link #step()} and {@link #await}; any thread may call {@link #close()}. After
 * {@code close()} a step does nothing and answers {@link #IDLE}, and a thread inside {@code await} returns soon.
 */
public interface Loop extends AutoCloseable {
    /** What {@link #step()} answers when more work is ready now. */
    long BUSY = 0;

    /** What {@link #step()} answers when there will be no work until something from outside wakes the loop. */
    long IDLE = Long.MAX_VALUE;

    /**
     * Does at most one unit of work. It never waits for work to arrive (a port for I/O that it calls may block, up to that
     * port's own deadline).
     *
     * @return how long, in nanoseconds of the loop's clock, until it wants to be stepped again: {@link #BUSY}, a delay, or
     *     {@link #IDLE}
     * @throws InterruptedException if the thread was asked to stop
     */
    long step() throws InterruptedException;

    /**
     * Waits until there may be work again, at most {@code nanos} nanoseconds. It may return early. Only production drivers
     * call it; a stepped system never waits.
     *
     * @throws InterruptedException if the thread was asked to stop
     */
    void await(long nanos) throws InterruptedException;

    /** Asks the loop to end. It does not wait, and may be called more than once. */
    @Override
    void close();
}
