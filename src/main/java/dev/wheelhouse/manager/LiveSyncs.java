package dev.wheelhouse.manager;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.controller.FailingKey;
import dev.wheelhouse.controller.OutageBackoff;
import dev.wheelhouse.controller.RunningSync;
import dev.wheelhouse.controller.Worker;
import dev.wheelhouse.runtime.Clock;

/**
 * The syncs of one controller's current life: which seem to block, and which keys fail. One thread calls
 * {@link #report}; any thread may call the other methods.
 */
final class LiveSyncs {
    /** The time after which a sync seems to block. */
    static final Duration BLOCKS_AFTER = Duration.ofSeconds(30);

    private static final Logger log = LoggerFactory.getLogger(LiveSyncs.class);
    private static final Duration REPORT_AGAIN = Duration.ofMinutes(1);
    private static final int MOST_FAILING = 10;

    private final String controller;
    private final Supplier<List<WhileLeading>> loops;
    private final Clock clock;

    /** @param loops the running loops of the controller; empty if it does not run */
    LiveSyncs(String controller, Supplier<List<WhileLeading>> loops, Clock clock) {
        this.controller = controller;
        this.loops = loops;
        this.clock = clock;
    }

    /** The workers of all queues, in the order of their making. */
    List<Worker<?>> workers() {
        List<Worker<?>> workers = new ArrayList<>();
        for (WhileLeading each : loops.get()) {
            if (each.loop() instanceof Worker<?> worker) {
                workers.add(worker);
            }
        }
        return workers;
    }

    private Set<OutageBackoff<?>> outages() {
        Set<OutageBackoff<?>> outages = new LinkedHashSet<>();
        workers().forEach(worker -> outages.add(worker.outage()));
        return outages;
    }

    /** The number of keys whose last sync failed. */
    int failingKeys() {
        return outages().stream().mapToInt(OutageBackoff::failingKeys).sum();
    }

    /** At most ten of the failing keys. */
    List<FailingKey> failing() {
        return outages().stream().flatMap(outage -> outage.failing(MOST_FAILING).stream()).limit(MOST_FAILING)
                .toList();
    }

    /** Queues keys whose last sync failed; see {@link ControllerControl#retry}. */
    int retry(String key) {
        return outages().stream().mapToInt(outage -> outage.retry(key)).sum();
    }

    /** The syncs in progress, the longest first. */
    List<LiveController.Running> running() {
        List<LiveController.Running> running = new ArrayList<>();
        for (Worker<?> worker : workers()) {
            RunningSync sync = worker.running();
            if (sync != null) {
                StackTraceElement[] stack = sync.stack();
                running.add(new LiveController.Running(sync.key(), sync.age(clock.nanoTime()),
                        stack.length == 0 ? "" : stack[0].toString()));
            }
        }
        running.sort(Comparator.comparing(LiveController.Running::age).reversed());
        return running;
    }

    List<RunningSync> blocking() {
        List<RunningSync> blocking = new ArrayList<>();
        for (Worker<?> worker : workers()) {
            RunningSync sync = worker.running();
            if (sync != null && sync.age(clock.nanoTime()).compareTo(BLOCKS_AFTER) >= 0) {
                blocking.add(sync);
            }
        }
        return blocking;
    }

    /** A sentence for each sync that seems to block. */
    List<String> blocked() {
        return blocking().stream().map(this::describe).toList();
    }

    private String describe(RunningSync sync) {
        StackTraceElement[] stack = sync.stack();
        return "the sync of " + sync.key() + " has run for " + sync.age(clock.nanoTime()).toSeconds() + " s"
                + (stack.length == 0 ? "" : ", now at " + stack[0]);
    }

    /** Logs the syncs that seem to block: each once after 30 s, and then every minute. */
    void report() {
        for (RunningSync sync : blocking()) {
            if (sync.takeReport(clock.nanoTime(), REPORT_AGAIN)) {
                StringBuilder stack = new StringBuilder();
                for (StackTraceElement element : sync.stack()) {
                    stack.append("\n\tat ").append(element);
                }
                log.warn("{}: the sync of {} has run for {} s and seems to block; other keys wait if all workers do:{}",
                        controller, sync.key(), sync.age(clock.nanoTime()).toSeconds(), stack);
            }
        }
    }
}
