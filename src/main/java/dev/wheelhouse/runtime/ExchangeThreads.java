package dev.wheelhouse.runtime;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The threads of a small HTTP server: each exchange, from the handshake to the last byte of the answer, has a virtual
 * thread and a deadline, so that a slow client delays nobody else. An interrupt closes the connection, as it ends all
 * I/O on it. Thread safe.
 */
public final class ExchangeThreads implements Executor, AutoCloseable {
    private final String name;
    private final Semaphore seats;
    private final Duration wait;
    private final Duration deadline;
    private final ScheduledThreadPoolExecutor timer;

    /**
     * @param name the name of the threads
     * @param most the number of exchanges at the same time
     * @param wait how long a further exchange waits for one of these to end, before its connection is closed
     * @param deadline after which an exchange is interrupted
     */
    public ExchangeThreads(String name, int most, Duration wait, Duration deadline) {
        this.name = name;
        this.seats = new Semaphore(most);
        this.wait = wait;
        this.deadline = deadline;
        this.timer = new ScheduledThreadPoolExecutor(1,
                Thread.ofPlatform().daemon().name(name + "-deadlines").factory());
        timer.setRemoveOnCancelPolicy(true);
    }

    @Override
    public void execute(Runnable exchange) {
        Thread.ofVirtual().name(name).start(() -> {
            Thread thread = Thread.currentThread();
            Future<?> end = timer.schedule(thread::interrupt, deadline.toNanos(), TimeUnit.NANOSECONDS);
            boolean seated = false;
            try {
                seated = seats.tryAcquire(wait.toNanos(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                thread.interrupt();
            }
            if (!seated) {
                thread.interrupt();
            }
            try {
                exchange.run();
            } finally {
                end.cancel(false);
                if (seated) {
                    seats.release();
                }
            }
        });
    }

    /** Ends the timer of the deadlines. Call it after the server is closed, which ends the exchanges. */
    @Override
    public void close() {
        timer.shutdownNow();
    }
}
