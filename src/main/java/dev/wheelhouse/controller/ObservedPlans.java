package dev.wheelhouse.controller;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The writes that a controller would make if it did not only observe. They are counted and logged once for each change
 * of a key's plan. Thread safe.
 */
final class ObservedPlans {
    private final String controller;
    private final ControllerMetrics metrics;
    private final DecisionLog decisions;
    private final Map<Object, List<Action.Write>> plans = new ConcurrentHashMap<>();

    ObservedPlans(String controller, ControllerMetrics metrics) {
        this.controller = controller;
        this.metrics = metrics;
        this.decisions = new DecisionLog(controller);
    }

    /** Records the writes of a key's last sync. A key without writes is not kept. */
    void planned(Object key, List<Action.Write> writes) {
        List<Action.Write> before = writes.isEmpty() ? plans.remove(key) : plans.put(key, List.copyOf(writes));
        if (!summary(writes).equals(summary(before == null ? List.of() : before))) {
            decisions.logPlanned(writes);
            writes.forEach(write -> metrics.planned(controller, write.verb(), write.type()));
        }
    }

    private static List<String> summary(List<Action.Write> writes) {
        return writes.stream().map(w -> w.verb() + w.type() + w.target() + w.why()).toList();
    }
}
