package dev.wheelhouse.controller;

import java.util.List;
import java.util.Map;

import dev.wheelhouse.runtime.BoundedMap;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * The writes that a controller would make if it did not only observe. They are counted and logged once for each change
 * of a key's plan. Beyond {@link #MOST} keys with plans the eldest plan is forgotten, and counted again if it stays.
 * Thread safe.
 */
final class ObservedPlans {
    static final int MOST = 10_000;

    private final String controller;
    private final ControllerMetrics metrics;

    private final Map<Object, List<String>> plans = BoundedMap.byAge(MOST);

    ObservedPlans(String controller, ControllerMetrics metrics) {
        this.controller = controller;
        this.metrics = metrics;

    }

    /** Records the writes of a key's last sync. A key without writes is not kept. */
    void planned(Object key, List<Action.Write> writes) {
        List<String> now = writes.stream().map(w -> w.verb() + w.type() + w.target() + w.why()).toList();
        if (isNew(key, now)) {
            DecisionLog.logPlanned(controller, writes);
            writes.forEach(write -> metrics.planned(controller, write.verb(), write.type()));
        }
    }

    private synchronized boolean isNew(Object key, List<String> now) {
        List<String> before = now.isEmpty() ? plans.remove(key) : plans.put(key, now);
        return !now.equals(orEmpty(before));
    }
}
