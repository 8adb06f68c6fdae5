package dev.wheelhouse.apiserver;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.work.Deadline;
import dev.wheelhouse.apiserver.work.OverdueException;
import dev.wheelhouse.runtime.LogBudget;
import dev.wheelhouse.runtime.OutOfMemory;

/**
 * Executes one request on a platform thread, while the connection's virtual thread waits. If long computations ran on
 * virtual threads, they would occupy the carrier threads, and health checks could not be answered.
 */
final class Work implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(Work.class);

    private final Supplier<ApiResponse> request;
    private final Deadline deadline;
    private final Runnable whenDone;
    private final LogBudget failures;
    private final Thread waiter = Thread.currentThread();
    private final AtomicReference<ApiResponse> answer = new AtomicReference<>();

    /**
     * @param whenDone called when the work has ended, which may be after the answer was given
     * @param failures limits the log lines about failures of all requests
     */
    Work(Supplier<ApiResponse> request, Deadline deadline, Runnable whenDone, LogBudget failures) {
        this.failures = failures;
        this.request = request;
        this.deadline = deadline;
        this.whenDone = whenDone;
    }

    /**
     * Waits for the answer. At the deadline it is 504, and the work ends at its next {@link Deadline#check check}.
     *
     * @throws RejectedExecutionException if there is no thread; then the work has ended without an answer
     */
    ApiResponse answeredBy(Executor threads) {
        boolean accepted = false;
        try {
            threads.execute(this);
            accepted = true;
        } catch (OutOfMemoryError e) {
            throw new RejectedExecutionException("the system gives no further thread", e);
        } finally {
            if (!accepted) {
                whenDone.run();
            }
        }
        boolean interrupted = false;
        ApiResponse known = answer.get();
        for (; known == null; known = answer.get()) {
            long left = deadline.remaining();
            if (left <= 0) {
                deadline.giveUp();
                answer.compareAndSet(null, Refusals.of(Errors.timeout()));
            } else {
                LockSupport.parkNanos(this, left);
                // The wait goes on, because a closing server ends its requests itself; the caller sees the interrupt.
                interrupted |= Thread.interrupted();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return known;
    }

    @Override
    public void run() {
        ApiResponse made;
        try {
            made = deadline.call(request);
        } catch (OverdueException e) {
            made = Refusals.of(Errors.timeout());
        } catch (Throwable e) {
            OutOfMemory.check(e);
            failures.error(log, "a request could not be answered: " + e.getClass().getName(), e);
            made = Refusals.status(500, "Internal error occurred: " + e);
        }
        if (!answer.compareAndSet(null, made) && made instanceof ApiResponse.Stream stream) {
            stream.feed().close();
        }
        whenDone.run();
        LockSupport.unpark(waiter);
    }
}
