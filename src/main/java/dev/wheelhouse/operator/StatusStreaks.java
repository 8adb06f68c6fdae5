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
 * Finds primary objects whose status is written again and again: in each run, because a value in it differs each time,
 * or to take it back from another client. Each such write leads to the next run, so the loop has no end. It is logged
 * after 10, 100, 1000, … writes. Thread safe.
 */
final class StatusStreaks {
    private static final Logger log = LoggerFactory.getLogger(StatusStreaks.class);
    private static final Measure REPEATED = Measure.counter("controller_status_repeats_total",
            "Writes of an object's status that followed nine others in a row", "controller");
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

    private record Streak(int writes, boolean takenBack, long lastNanos) {}

    /**
     * A write of a status.
     *
     * @param fields the fields that it changed, for people
     * @param takenBack whether it is the status of the last write, which another client has changed
     */
    record Write(String fields, boolean takenBack) {}

    /** @param write the run's last write of the status; null if it wrote none */
    void ended(String kind, ObjectKey key, @Nullable Write write, SyncRun run) {
        Streak last = streaks.get(key);
        if (write == null) {
            // The run after a status was taken back finds nothing to do.
            if (last != null && !last.takenBack) {
                streaks.remove(key);
            }
            return;
        }
        long now = clock.nanoTime();
        boolean goesOn = last != null && last.takenBack == write.takenBack && now - last.lastNanos <= SOON.toNanos();
        int writes = last != null && goesOn ? last.writes + 1 : 1;
        streaks.put(key, new Streak(writes, write.takenBack, now));
        if (writes >= MANY) {
            run.count(REPEATED, 1, operator);
            if (String.valueOf(writes).matches("10+")) {
                log.warn("{}: the status of {} {} was written {} times in a row, the last time for {}: {}", operator,
                        kind, key, writes, write.fields, write.takenBack
                                ? "another client changes it back. If that is another operator, give each its own "
                                        + "fields by setup.statusFields"
                                : "a value that differs in each run, such as the time, leads to the next run. Leave it "
                                        + "out, or let only other changes count by ChangeFilter.generationChanged()");
            }
        }
    }

    void forget(ObjectKey key) {
        streaks.remove(key);
    }
}
