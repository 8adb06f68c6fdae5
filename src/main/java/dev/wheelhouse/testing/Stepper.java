package dev.wheelhouse.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.ManualClock;

/**
 * Steps processes on the caller's thread, and moves their clock. Caches can take over all changes before the workers
 * take their turns, as on an idle machine.
 */
final class Stepper {
    private static final Logger log = LoggerFactory.getLogger(Stepper.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final int SHOWN = 5;
    private static final Rest AWAKE = new Rest(-1, Map.of());

    private final ManualClock clock;
    private final @Nullable Random order;
    private final LongSupplier version;
    private final int mostRounds;
    private final boolean cachesFirst;
    private final List<ControllerProcess> processes = new ArrayList<>();
    /** When each loop of the process that is stepped is due. */
    private final Map<Loop, Long> due = new HashMap<>();
    private final Map<ControllerProcess, Rest> resting = new HashMap<>();
    private final Map<Loop, Long> paused = new WeakHashMap<>();
    private volatile boolean abandoned;
    /** The loop that is stepped, in words once somebody asks; null between two steps. */
    private volatile @Nullable Supplier<String> current;
    private @Nullable RuntimeException failure;
    private final Map<String, Integer> busy = new HashMap<>();
    private final Map<String, Integer> requests = new HashMap<>();
    private final AtomicLong steps = new AtomicLong();

    /**
     * A process that had nothing to do at a version of the server.
     *
     * @param due the time at which each of its loops is due
     */
    private record Rest(long version, Map<Loop, Long> due) {}

    /**
     * @param version the version of the server
     * @param mostRounds the rounds at one moment after which there is no end in sight
     * @param order shuffles the loops in each round; null for a fixed order
     * @param cachesFirst whether the caches take over all changes before the workers take their turns
     */
    Stepper(ManualClock clock, LongSupplier version, int mostRounds, @Nullable Random order, boolean cachesFirst) {
        this.clock = clock;
        this.cachesFirst = cachesFirst;
        this.version = version;
        this.mostRounds = mostRounds;
        this.order = order;
    }

    ManualClock clock() {
        return clock;
    }

    void add(ControllerProcess process) {
        processes.add(process);
    }

    /**
     * Adds a process that only the server and the clock affect, so that it need not be stepped while neither changes.
     */
    void addClosed(ControllerProcess process) {
        processes.add(process);
        resting.put(process, AWAKE);
    }

    void remove(ControllerProcess process) {
        processes.remove(process);
        resting.remove(process);
        process.close();
    }

    /** The number of steps so far. Any thread may ask. */
    long steps() {
        return steps.get();
    }

    /** The exception of the last loop that failed; null if none has. */
    @Nullable
    RuntimeException failure() {
        return failure;
    }

    void close() {
        processes.reversed().forEach(ControllerProcess::close);
    }

    /**
     * Does some steps, but no longer than a real time. Then the thread is interrupted, so that a step that waits ends.
     *
     * @throws AssertionError that names the loop and where it was, if the time is over
     */
    void within(Duration time, Runnable steps) {
        AtomicReference<String> late = new AtomicReference<>("");
        Thread stepping = Thread.currentThread();
        Thread watch = Thread.startVirtualThread(() -> {
            try {
                Thread.sleep(time);
            } catch (InterruptedException e) {
                return;
            }
            Supplier<String> loop = current;
            String where = Arrays.stream(stepping.getStackTrace()).filter(frame -> frame.getModuleName() == null)
                    .findFirst().map(StackTraceElement::toString).orElse("the JDK");
            if (late.compareAndSet("", "nothing comes to rest within " + time + " of real time. At the end "
                    + (loop == null ? "no loop" : loop.get()) + " was in " + where)) {
                abandoned = true;
                stepping.interrupt();
            }
        });
        try {
            steps.run();
        } catch (AssertionError | IllegalStateException e) {
            if ("".equals(late.get())) {
                throw e;
            }
        } finally {
            if (late.compareAndSet("", "in time")) {
                watch.interrupt();
            }
        }
        if (abandoned) {
            abandoned = false;
            Thread.interrupted();
            throw new AssertionError(String.valueOf(late.get()));
        }
    }

    /** Remembers a request, to name it if the system does not come to rest. */
    void requested(String request) {
        requests.merge(request, 1, Integer::sum);
    }

    /**
     * Steps until nothing is left to do at the current time.
     *
     * @return the time until something is due, in nanoseconds; {@link Loop#IDLE} if nothing will be
     * @throws AssertionError that names the loops and requests that go on, if there is no end
     */
    long settle() {
        busy.clear();
        requests.clear();
        for (int round = 0; round < mostRounds; round++) {
            long next = round();
            if (next != Loop.BUSY) {
                return next;
            }
        }
        throw endless();
    }

    /**
     * Lets time pass, and does everything that becomes due meanwhile at its time.
     *
     * @throws AssertionError as {@link #settle()}
     */
    void advance(Duration span) {
        long left = span.toNanos();
        long next = settle();
        for (int moves = 0; next <= left; moves++) {
            if (moves == mostRounds) {
                throw endless();
            }
            clock.advance(Duration.ofNanos(next));
            left -= next;
            next = settle();
        }
        clock.advance(Duration.ofNanos(left));
    }

    AssertionError endless() {
        return new AssertionError("nothing comes to rest after " + mostRounds + " rounds. Still busy: " + most(busy)
                + ". Most frequent requests: " + (requests.isEmpty() ? "none" : most(requests)));
    }

    private static String most(Map<String, Integer> counts) {
        return counts.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(SHOWN).map(e -> e.getKey() + " (" + e.getValue() + " times)").collect(Collectors.joining(", "));
    }

    /** Steps each loop once. @return the time until the next step of a loop is due, in nanoseconds */
    private long round() {
        long next = Loop.IDLE;
        for (ControllerProcess process : List.copyOf(processes)) {
            Rest rest = resting.get(process);
            next = Math.min(next, rest != null && rest.version == version.getAsLong()
                    ? stepDue(process, rest.due)
                    : round(process));
        }
        return next;
    }

    /** Steps the loops that are due, of a process that had nothing to do. */
    private long stepDue(ControllerProcess process, Map<Loop, Long> due) {
        long next = Loop.IDLE;
        for (Map.Entry<Loop, Long> loop : due.entrySet()) {
            long wait = loop.getValue() - clock.nanoTime();
            if (wait <= 0) {
                wait = step(process, loop.getKey());
                loop.setValue(clock.deadline(Duration.ofNanos(wait)));
            }
            next = Math.min(next, wait);
        }
        if (next == Loop.BUSY) {
            resting.put(process, AWAKE);
        }
        return next;
    }

    private long round(ControllerProcess process) {
        long at = version.getAsLong();
        List<Loop> caches = process.caches();
        List<Loop> workers = process.workers();
        due.clear();
        List<Loop> turn = new ArrayList<>(cachesFirst ? List.of() : caches);
        turn.addAll(workers);
        if (order != null) {
            Collections.shuffle(turn, order);
        }
        long next = Math.min(cachesFirst ? catchUp(process, caches) : Loop.IDLE, stepAll(process, turn));
        // Loops that a step has made, and changes that a worker has made, are due.
        if (version.getAsLong() != at || process.caches().size() != caches.size()
                || process.workers().size() != workers.size()) {
            next = Loop.BUSY;
        }
        if (resting.containsKey(process)) {
            resting.put(process, next == Loop.BUSY ? AWAKE : new Rest(at, new HashMap<>(due)));
        }
        return next;
    }

    /** Steps the caches until they are up to date. */
    private long catchUp(ControllerProcess process, List<Loop> caches) {
        long next = Loop.BUSY;
        for (int i = 0; i < mostRounds && next == Loop.BUSY; i++) {
            next = Loop.IDLE;
            for (Loop loop : caches) {
                long wait = step(process, loop);
                next = Math.min(next, wait);
                for (int j = 0; j < mostRounds && wait == Loop.BUSY; j++) {
                    wait = step(process, loop);
                }
            }
        }
        return next;
    }

    private long stepAll(ControllerProcess process, List<Loop> loops) {
        long next = Loop.IDLE;
        for (Loop loop : loops) {
            next = Math.min(next, step(process, loop));
        }
        return next;
    }

    /** Steps no loop any more. Any thread may call it. */
    void abandon() {
        abandoned = true;
    }

    private long step(ControllerProcess process, Loop loop) {
        if (abandoned) {
            throw new IllegalStateException("the run was given up");
        }
        if (process.isHalted()) {
            return Loop.IDLE;
        }
        Long until = paused.get(loop);
        long wait = until == null ? 0 : until - clock.nanoTime();
        if (wait <= 0) {
            steps.lazySet(steps.get() + 1);
            current = () -> process.name(loop);
            try {
                wait = Math.max(0, loop.step());
                if (wait != Loop.BUSY && process.isAtRest(loop)) {
                    wait = Loop.IDLE;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("the thread that steps " + process.name(loop) + " was interrupted", e);
            } catch (RuntimeException e) {
                log.error("the loop {} failed; it continues in {}", process.name(loop), PAUSE, e);
                failure = e;
                paused.put(loop, clock.deadline(PAUSE));
                wait = PAUSE.toNanos();
            } finally {
                current = null;
            }
        }
        if (wait == Loop.BUSY) {
            busy.merge(process.name(loop), 1, Integer::sum);
        }
        due.put(loop, clock.deadline(Duration.ofNanos(wait)));
        return wait;
    }
}
