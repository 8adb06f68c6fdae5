package dev.wheelhouse.runtime;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs each {@link Loop} on a thread of its own, and ends the loops and their threads on close. Loops that mostly wait
 * run on virtual threads; loops that call user code, which may block or spin, run on platform threads. A loop that
 * waits for more than five seconds gives its platform thread back: it waits on a virtual thread, and gets a new
 * platform thread when there is work. If a step throws, the runner logs the error and steps the loop again after a
 * backoff of 100 ms to 30 s. Thread safe.
 */
public sealed class LoopRunner implements AutoCloseable permits SteppedRunner {
    private static final Logger log = LoggerFactory.getLogger(LoopRunner.class);

    private static final Duration REST_AFTER = Duration.ofSeconds(5);
    private static final long BETWEEN_STEPS = Long.MIN_VALUE;

    private final String name;
    private final Clock clock;
    private final long restAfter;
    private final List<Running> running = new ArrayList<>();
    private final Set<Thread> tasks = ConcurrentHashMap.newKeySet();
    private final AtomicInteger failures = new AtomicInteger();
    private volatile boolean closed;

    /** A loop and its current thread. Guarded by the runner. */
    private static final class Running {
        final Loop loop;
        final Thread.Builder builder;
        final boolean mayRest;
        Thread thread;
        volatile boolean stopped;
        /** The time of the clock at which the current step began. */
        volatile long stepBegan = BETWEEN_STEPS;

        Running(Loop loop, Thread.Builder builder, boolean mayRest) {
            this.loop = loop;
            this.builder = builder;
            this.mayRest = mayRest;
            this.thread = Thread.currentThread();
        }
    }

    /**
     * A loop whose current step lasts too long.
     *
     * @param loop the name of the loop's thread
     * @param age the time since the step began
     * @param stack the present stack of the thread
     */
    public record Standing(String loop, Duration age, List<StackTraceElement> stack) {}

    /** @param name the prefix of the threads' names */
    public LoopRunner(String name, Clock clock) {
        this(name, clock, REST_AFTER);
    }

    /** @param restAfter how long a loop waits on its platform thread before it gives the thread back */
    LoopRunner(String name, Clock clock, Duration restAfter) {
        this.name = name;
        this.clock = clock;
        this.restAfter = restAfter.toNanos();
    }

    /** Whether each loop has a thread of its own; false where a test steps them. */
    public boolean givesThreads() {
        return true;
    }

    /**
     * Starts a loop that mostly waits, on a virtual thread.
     * @throws IllegalStateException if this runner is closed; the loop is then closed too
     */
    public void start(String loopName, Loop loop) {
        start(new Running(loop, Thread.ofVirtual().name(name + "/" + loopName), false));
    }

    /**
     * Starts a loop that calls user code, on a platform thread.
     * @throws IllegalStateException if this runner is closed; the loop is then closed too
     */
    public void startOnPlatformThread(String loopName, Loop loop) {
        start(new Running(loop, Thread.ofPlatform().daemon().name(name + "/" + loopName), true));
    }

    private synchronized void start(Running starting) {
        if (closed) {
            starting.loop.close();
            throw new IllegalStateException("cannot start a loop: the runner " + name + " was closed");
        }
        running.removeIf(r -> r.thread.getState() == Thread.State.TERMINATED);
        running.add(starting);
        handOver(starting, starting.builder.unstarted(() -> drive(starting)));
    }

    /**
     * Gives a loop another thread. The caller's thread does not touch the loop any more, unless the loop is to end.
     * @return false if the loop is to end
     */
    private synchronized boolean handOver(Running of, Thread to) {
        if (closed || of.stopped) {
            return false;
        }
        of.thread = to;
        to.start();
        return true;
    }

    /**
     * Runs a task that may block, on a virtual thread of its own. Closing this runner interrupts and joins that thread.
     * A task that is passed after the close does not run.
     */
    public void run(String taskName, Runnable task) {
        Thread thread = Thread.ofVirtual().name(name + "/" + taskName).unstarted(() -> {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                OutOfMemory.check(e);
                failures.incrementAndGet();
                log.error("the task {} failed; it is not repeated", Thread.currentThread().getName(), e);
            } finally {
                tasks.remove(Thread.currentThread());
            }
        });
        synchronized (this) {
            if (closed) {
                return;
            }
            tasks.add(thread);
            thread.start();
        }
    }

    /** Waits on a virtual thread, and continues the loop on a platform thread. */
    private void rest(Running resting, long nanos) {
        boolean goesOn = false;
        try {
            resting.loop.await(nanos);
            goesOn = handOver(resting, resting.builder.unstarted(() -> drive(resting)));
        } catch (InterruptedException e) {
            // The thread was asked to stop.
        } finally {
            if (!goesOn) {
                resting.loop.close();
            }
        }
    }

    private void drive(Running driven) {
        Loop loop = driven.loop;
        boolean rests = false;
        boolean waitedLong = false;
        Backoff backoff = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(30), 2, 0.5, Duration.ofMinutes(2),
                clock,
                new SplittableRandom());
        try {
            while (!closed) {
                try {
                    driven.stepBegan = clock.nanoTime();
                    long wait = loop.step();
                    driven.stepBegan = BETWEEN_STEPS;
                    // Without a stop, user code interrupted its own thread; the loop must not end by that.
                    if (Thread.interrupted() && (closed || driven.stopped)) {
                        return;
                    }
                    if (!driven.mayRest || wait <= restAfter) {
                        waitedLong = false;
                        if (wait > 0) {
                            loop.await(wait);
                        }
                    } else if (!waitedLong) {
                        // Work that arrives at the very end of this wait is done by the next step, before any rest.
                        long began = System.nanoTime();
                        loop.await(restAfter);
                        waitedLong = System.nanoTime() - began >= restAfter;
                    } else {
                        rests = handOver(driven, Thread.ofVirtual().name(Thread.currentThread().getName())
                                .unstarted(() -> rest(driven, wait)));
                        return;
                    }
                } catch (InterruptedException e) {
                    throw e;
                } catch (Throwable e) {
                    // User code in Kotlin, for example, throws any checked exception.
                    OutOfMemory.check(e);
                    driven.stepBegan = BETWEEN_STEPS;
                    if (e instanceof Exception && loop instanceof SignalledLoop signalled
                            && signalled.isClosed()) {
                        // The step was under way while the parts that it uses were closed, too.
                        log.debug("the loop {} failed after its close", Thread.currentThread().getName(), e);
                        return;
                    }
                    failures.incrementAndGet();
                    Duration delay = backoff.next();
                    log.error("the loop {} failed; it continues in {} ms", Thread.currentThread().getName(),
                            delay.toMillis(), e);
                    Thread.sleep(delay);
                }
            }
        } catch (InterruptedException e) {
            // The thread was asked to stop.
        } finally {
            if (!rests) {
                loop.close();
            }
        }
    }

    /** Closes one loop that this runner started, and interrupts its thread. Does not wait for the thread. */
    @SuppressWarnings("ReferenceEquality") // Two loops may be equal records.
    public void stop(Loop loop) {
        loop.close();
        synchronized (this) {
            running.stream().filter(r -> r.loop == loop).forEach(r -> {
                r.stopped = true;
                r.thread.interrupt();
            });
        }
    }

    /** The loops whose current step has lasted for that time or longer, although a step never waits for work. */
    public synchronized List<Standing> standing(Duration time) {
        List<Standing> standing = new ArrayList<>();
        for (Running each : running) {
            long began = each.stepBegan;
            if (began != BETWEEN_STEPS && clock.nanoTime() - began >= time.toNanos() && each.thread.isAlive()) {
                standing.add(new Standing(each.thread.getName(), Duration.ofNanos(clock.nanoTime() - began),
                        List.of(each.thread.getStackTrace())));
            }
        }
        return standing;
    }

    /** The number of steps and tasks that threw. */
    public int failures() {
        return failures.get();
    }

    /** Closes all loops in reverse order of their start, and waits up to five seconds for their threads. */
    @Override
    public void close() {
        List<String> left = close(Duration.ofSeconds(5));
        if (!left.isEmpty()) {
            log.warn("these threads did not end within 5 s after the close: {}", left);
        }
    }

    /**
     * Closes all loops in reverse order of their start, then interrupts and joins the threads of loops and tasks.
     *
     * @param grace the longest time to wait for all threads together
     * @return the names of the threads that are still alive after that time
     */
    public List<String> close(Duration grace) {
        List<Running> ending;
        List<Thread> threads;
        synchronized (this) {
            closed = true;
            ending = new ArrayList<>(running).reversed();
            threads = new ArrayList<>(ending.stream().map(r -> r.thread).toList());
        }
        ending.forEach(r -> r.loop.close());
        threads.addAll(tasks);
        threads.forEach(Thread::interrupt);
        threads.remove(Thread.currentThread());
        long deadline = System.nanoTime() + Durations.saturatedNanos(grace);
        List<String> left = new ArrayList<>();
        boolean interrupted = false;
        for (Thread thread : threads) {
            try {
                if (!interrupted && !thread.join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())))) {
                    left.add(thread.getName());
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return left;
    }
}
