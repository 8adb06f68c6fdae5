package dev.wheelhouse.event;

import java.util.Map;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.runtime.BoundedMap;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LogBudget;

/** Logs Events, for a process without an API server. The lines of each object are bounded. Thread safe. */
public final class LoggedEvents implements EventRecorder {
    private static final Logger log = LoggerFactory.getLogger(LoggedEvents.class);
    private static final int MOST_OBJECTS = 1000;

    private final Clock clock;
    private final Map<ObjectKey, LogBudget> budgets = BoundedMap.byUse(MOST_OBJECTS);

    public LoggedEvents(Clock clock) {
        this.clock = clock;
    }

    @Override
    public void event(ResourceType regardingType, KubernetesObject regarding, String fieldPath, String type,
            String reason, String message) {
        ObjectKey key = ObjectKey.of(regarding);
        LogBudget budget;
        synchronized (budgets) {
            budget = budgets.computeIfAbsent(key, k -> new LogBudget(clock));
        }
        String line = "%s %s%s: %s: %s".formatted(regardingType.kind(), key, fieldPath.isEmpty() ? "" : " " + fieldPath,
                reason, message);
        if (type.equals(WARNING)) {
            budget.warn(log, line);
        } else {
            budget.info(log, line);
        }
    }
}
