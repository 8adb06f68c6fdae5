package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.runtime.BoundedMap;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.OneLine;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * The writes that a controller would make if it did not only observe. They are counted and logged once for each change
 * of a key's plan. Beyond {@link #MOST} keys with plans the eldest plan is forgotten, and counted again if it stays.
 * Plans that stay are the differences from what another process does, such as an operator's running version; this loop
 * logs them when they change, once a minute. Thread safe.
 */
final class ObservedPlans extends SignalledLoop {
    static final int MOST = 10_000;
    private static final Logger log = LoggerFactory.getLogger(ObservedPlans.class);
    private static final int NAMED = 10;
    private static final int LONGEST_ERROR = 200;
    private static final Duration PERIOD = Duration.ofMinutes(1);
    /** The time that the process that writes has to do what is planned here, too. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Measure DIFFERENCES = Measure.gauge("controller_observed_differences",
            "Objects that the controller, which only observes, would change for 30 s or longer", "controller");

    private final String controller;
    private final ControllerMetrics metrics;
    private final Clock clock;
    private final IntSupplier objects;
    private final Map<Object, Plan> plans = BoundedMap.byAge(MOST);
    private List<String> said = List.of();

    /** @param since the nanoseconds at which the key began to have a plan */
    private record Plan(List<String> writes, long since) {}

    /** @param objects the number of objects that the controller syncs; 0 if it is not known */
    ObservedPlans(String controller, ControllerMetrics metrics, Clock clock, IntSupplier objects) {
        this.objects = objects;
        this.controller = controller;
        this.metrics = metrics;
        this.clock = clock;
    }

    /** Records a key's last sync. One without writes that does not fail is no plan. */
    void planned(Object key, RecordingRun run, Result result) {
        List<Action.Write> writes = run.recordedWrites();
        List<String> now = new ArrayList<>();
        writes.forEach(write -> now.add(write.verb() + " " + write.type() + " " + write.target() + ": " + write.why()));
        if (result instanceof Result.Retry retry) {
            now.add("fail: " + OneLine.of(retry.cause().toString(), LONGEST_ERROR));
        }
        if (isNew(key, now)) {
            DecisionLog.logPlanned(controller, writes);
            writes.forEach(write -> metrics.planned(controller, write.verb(), write.type()));
        }
    }

    private synchronized boolean isNew(Object key, List<String> now) {
        Plan before = now.isEmpty() ? plans.remove(key) : plans.get(key);
        if (!now.isEmpty()) {
            plans.put(key, new Plan(now, before == null ? clock.nanoTime() : before.since));
        }
        return !now.equals(before == null ? List.of() : before.writes);
    }

    /** The plans that have stayed for a while, a sentence for each key. */
    synchronized List<String> differences() {
        return plans.entrySet().stream().filter(each -> clock.nanoTime() - each.getValue().since >= PATIENCE.toNanos())
                .map(each -> each.getKey() + ": would " + String.join("; would ", each.getValue().writes)).toList();
    }

    @Override
    public long step() {
        if (isClosed()) {
            return IDLE;
        }
        List<String> now = differences();
        metrics.record(DIFFERENCES, now.size(), controller);
        if (!now.equals(said)) {
            int all = objects.getAsInt();
            log.info("{} would change something on {}{} objects{}{}{}", controller, now.size(),
                    all == 0 ? "" : " of " + all,
                    now.isEmpty() ? "" : ": ", String.join(", ", now.subList(0, Math.min(NAMED, now.size()))),
                    now.size() > NAMED ? " and more" : "");
            said = now;
        }
        return PERIOD.toNanos();
    }
}
