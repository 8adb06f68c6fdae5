package dev.wheelhouse.operator;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.controller.Measure;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.runtime.Clock;

/**
 * Finds primary objects whose status is written in each of many runs in a row. Each such write leads to the next run,
 * so the loop has no end. It is logged after 10, 100, 1000, … runs. Thread safe.
 */
final class StatusStreaks {
    private static final Logger log = LoggerFactory.getLogger(StatusStreaks.class);
    private static final Measure REPEATED = Measure.counter("controller_status_repeats_total",
            "Runs that wrote the status of their object, as each of the nine runs before had done", "controller");
    private static final int MANY = 10;
    /** Slower writes follow a schedule of the operator, and no loop. */
    private static final Duration SOON = Duration.ofSeconds(10);

    private final String operator;
    private final Clock clock;
    private final Map<ObjectKey, Streak> streaks = new ConcurrentHashMap<>();

    StatusStreaks(String operator, Clock clock) {
        this.operator = operator;
        this.clock = clock;
    }

    private record Streak(int runs, long lastNanos) {}

    /**
     * A write of a status.
     *
     * @param fields the fields that it changed, for people
     * @param taken whether another client had changed the status since this operator's last write
     */
    record Write(String fields, boolean taken) {}

    /** @param write the run's last write of the status; null if it wrote none */
    void ended(String kind, ObjectKey key, @Nullable Write write, SyncRun run) {
        if (write == null) {
            streaks.remove(key);
            return;
        }
        long now = clock.nanoTime();
        Streak last = streaks.get(key);
        int runs = last == null || now - last.lastNanos > SOON.toNanos() ? 1 : last.runs + 1;
        streaks.put(key, new Streak(runs, now));
        if (runs >= MANY) {
            run.count(REPEATED, 1, operator);
            if (String.valueOf(runs).matches("10+")) {
                log.warn("{}: the status of {} {} was written in each of the last {} runs, the last time for {}: {}",
                        operator, kind, key, runs, write.fields, write.taken
                                ? "another client changes the same fields. If it is another operator, give each its "
                                        + "own fields by setup.statusFields"
                                : "a value that differs in each run, such as the time, leads to the next run. Leave it "
                                        + "out, or let only other changes count by ChangeFilter.generationChanged()");
            }
        }
    }

    void forget(ObjectKey key) {
        streaks.remove(key);
    }
}
