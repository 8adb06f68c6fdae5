package dev.wheelhouse.runtime;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs each {@link Loop} on a thread of its own, and ends the loops and their threads on close. Loops that mostly wait
 * run on virtual threads; loops that call user code, which may block or spin, run on platform threads. If a step
 * throws, the runner logs the error and steps the loop again after a backoff of 100 ms to 30 s. Thread safe.
 */
public sealed class LoopRunner implements AutoCloseable permits SteppedRunner {
    private static final Logger log = LoggerFactory.getLogger(LoopRunner.class);

    private final String name;
    private final Clock clock;
    private final List<Running> running = new ArrayList<>();
    private final Set<Thread> tasks = ConcurrentHashMap.newKeySet();
    private final AtomicInteger failures = new AtomicInteger();
    private volatile boolean closed;

    private record Running(Loop loop, Thread thread) {}

    /** @param name the prefix of the threads' names */
    public LoopRunner(String name, Clock clock) {
        this.name = name;
        this.clock = clock;
    }

    /**
     * Starts a loop that mostly waits, on a virtual thread.
     * @throws IllegalStateException if this runner is closed; the loop is then closed too
     */
    public void start(String loopName, Loop loop) {
        start(loop, Thread.ofVirtual().name(name + "/" + loopName));
    }

    /**
     * Starts a loop that calls user code, on a platform thread.
     * @throws IllegalStateException if this runner is closed; the loop is then closed too
     */
    public void startOnPlatformThread(String loopName, Loop loop) {
        start(loop, Thread.ofPlatform().daemon().name(name + "/" + loopName));
    }

    private synchronized void start(Loop loop, Thread.Builder builder) {
        if (closed) {
            loop.close();
            throw new IllegalStateException("cannot start a loop: the runner " + name + " was closed");
        }
        running.removeIf(r -> r.thread.getState() == Thread.State.TERMINATED);
        Thread thread = builder.unstarted(() -> drive(loop));
        running.add(new Running(loop, thread));
        thread.start();
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

    private void drive(Loop loop) {
        Backoff backoff = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(30), 2, 0.5, Duration.ofMinutes(2),
                clock,
                new java.util.SplittableRandom());
        try {
            while (!closed) {
                try {
                    long wait = loop.step();
                    if (Thread.interrupted()) {
                        return;
                    }
                    if (wait > 0) {
                        loop.await(wait);
                    }
                } catch (RuntimeException | Error e) {
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
            loop.close();
        }
    }

    /** Closes one loop that this runner started, and interrupts its thread. Does not wait for the thread. */
    public void stop(Loop loop) {
        loop.close();
        List<Running> ending;
        synchronized (this) {
            ending = running.stream().filter(r -> r.loop == loop).toList();
        }
        ending.forEach(r -> r.thread.interrupt());
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
        synchronized (this) {
            closed = true;
            ending = new ArrayList<>(running).reversed();
        }
        ending.forEach(r -> r.loop.close());
        List<Thread> threads = new ArrayList<>(ending.stream().map(Running::thread).toList());
        threads.addAll(tasks);
        threads.forEach(Thread::interrupt);
        long deadline = System.nanoTime() + Durations.saturatedNanos(grace);
        List<String> left = new ArrayList<>();
        boolean interrupted = false;
        for (Thread thread : threads) {
            if (thread == Thread.currentThread()) {
                continue;
            }
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
