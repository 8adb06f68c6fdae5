package dev.wheelhouse.manager;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

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
 *
 * @param loops the running loops of the controller; empty if it does not run
 */
record LiveSyncs(String controller, Supplier<List<WhileLeading>> loops, Clock clock) {
    /** The time after which a sync seems to block. */
    static final Duration BLOCKS_AFTER = Duration.ofSeconds(30);

    private static final Logger log = LoggerFactory.getLogger(LiveSyncs.class);
    private static final Duration REPORT_AGAIN = Duration.ofMinutes(1);
    private static final int MOST_FAILING = 10;

    /** The workers of all queues, in the order of their making. */
    List<Worker<?>> workers() {
        return loops.get().stream().map(WhileLeading::loop).filter(Worker.class::isInstance)
                .<Worker<?>>map(loop -> (Worker<?>) loop).toList();
    }

    private Stream<OutageBackoff<?>> outages() {
        return workers().stream().<OutageBackoff<?>>map(Worker::outage).distinct();
    }

    /** The number of keys whose last sync failed. */
    int failingKeys() {
        return outages().mapToInt(OutageBackoff::failingKeys).sum();
    }

    /** At most ten of the failing keys. */
    List<FailingKey> failing() {
        return outages().flatMap(outage -> outage.failing(MOST_FAILING).stream()).limit(MOST_FAILING)
                .toList();
    }

    /** Queues keys whose last sync failed; see {@link ControllerControl#retry}. */
    int retry(String key) {
        return outages().mapToInt(outage -> outage.retry(key)).sum();
    }

    /** The syncs in progress, the longest first. */
    List<LiveController.Running> running() {
        return syncs().map(sync -> new LiveController.Running(sync.key(), sync.age(clock.nanoTime()), place(sync)))
                .sorted(Comparator.comparing(LiveController.Running::age).reversed()).toList();
    }

    List<RunningSync> blocking() {
        return syncs().filter(sync -> sync.age(clock.nanoTime()).compareTo(BLOCKS_AFTER) >= 0).toList();
    }

    /** A sentence for each sync that seems to block. */
    List<String> blocked() {
        return blocking().stream().map(this::describe).toList();
    }

    private String describe(RunningSync sync) {
        String place = place(sync);
        return "the sync of " + sync.key() + " has run for " + sync.age(clock.nanoTime()).toSeconds() + " s"
                + (place.isEmpty() ? "" : ", now at " + place);
    }

    private Stream<RunningSync> syncs() {
        return workers().stream().flatMap(worker -> Stream.ofNullable(worker.running()));
    }

    /** The innermost frame of a sync; empty if its thread has ended. */
    private static String place(RunningSync sync) {
        return Stream.of(sync.stack()).findFirst().map(StackTraceElement::toString).orElse("");
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
