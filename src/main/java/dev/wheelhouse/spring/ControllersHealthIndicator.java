package dev.wheelhouse.spring;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

import dev.wheelhouse.controller.FailingKey;
import dev.wheelhouse.manager.ControllerManager;
import dev.wheelhouse.manager.ControllerState;
import dev.wheelhouse.manager.Shards;

/**
 * Shows the shards of this process, each controller's state, the syncs that seem to block, and the keys that fail with
 * their errors. It is always up: the other controllers work on.
 */
record ControllersHealthIndicator(ControllerManager manager, Shards shards) implements HealthIndicator {
    @Override
    public Health health() {
        Map<String, Object> details = new TreeMap<>();
        manager.states().forEach(state -> details.put(state.name(), describe(state)));
        if (shards.count() > 1) {
            details.put("shards", shards.led() + " of " + shards.count());
        }
        return Health.up().withDetails(details).build();
    }

    private static Object describe(ControllerState state) {
        if (state.blocked().isEmpty() && state.failing().isEmpty()) {
            return state.doing();
        }
        Map<String, Object> details = new TreeMap<>(Map.of("state", state.doing()));
        if (!state.blocked().isEmpty()) {
            details.put("blocked", state.blocked());
        }
        if (!state.failing().isEmpty()) {
            List<String> failing = new ArrayList<>(state.failing().stream().map(ControllersHealthIndicator::describe)
                    .toList());
            if (state.failingKeys() > failing.size()) {
                failing.add("and " + (state.failingKeys() - failing.size()) + " more");
            }
            details.put("failing", failing);
        }
        return details;
    }

    private static String describe(FailingKey key) {
        return key.key() + " since " + key.since() + " (" + key.failures() + " failures in a row): " + key.error();
    }
}
