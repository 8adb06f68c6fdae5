package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import dev.wheelhouse.Logged;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

/** The differences between a controller that only observes and the process that writes. */
@Isolated
class ObservedPlansTest {
    private static final ObjectKey SHOP = ObjectKey.of("default", "shop");

    private final ManualClock clock = new ManualClock();
    private final List<Double> gauge = new ArrayList<>();
    private final ObservedPlans plans = new ObservedPlans("test", new ControllerMetrics(Meters.NONE) {
        @Override
        public void record(Measure measure, double value, String... labels) {
            gauge.add(value);
        }
    }, clock, () -> 400);

    private void sync(ObjectKey key, Result result, String... deleted) {
        RecordingRun run = new RecordingRun(true);
        for (String name : deleted) {
            run.execute(List.of(new Action.Delete(ResourceType.PODS, ObjectKey.of("default", name),
                    Deletion.unconditional(), "it is not wanted")));
        }
        plans.planned(key, run, result);
    }

    @Test
    void aPlanIsADifferenceOnceItHasStayed() {
        sync(SHOP, Result.done(), "a");
        assertThat(plans.differences()).isEmpty();
        clock.advance(Duration.ofSeconds(20));
        sync(SHOP, Result.done(), "b");
        clock.advance(Duration.ofSeconds(10));
        assertThat(plans.differences())
                .containsExactly("default/shop: would delete pods default/b: it is not wanted");
        sync(SHOP, Result.done());
        assertThat(plans.differences()).isEmpty();
    }

    @Test
    void aFailureIsADifference() {
        sync(SHOP, Result.retry(new IllegalStateException("no greeting")));
        clock.advance(Duration.ofMinutes(1));
        assertThat(plans.differences())
                .containsExactly("default/shop: would fail: java.lang.IllegalStateException: no greeting");
        sync(SHOP, Result.done());
        assertThat(plans.differences()).isEmpty();
    }

    @Test
    void theLogTellsTheDifferencesWhenTheyChange() {
        try (Logged logged = Logged.by("dev.wheelhouse.controller.ObservedPlans")) {
            for (int i = 0; i < 11; i++) {
                sync(ObjectKey.of("default", "shop-" + i), Result.done(), "a");
            }
            plans.step();
            clock.advance(Duration.ofMinutes(1));
            plans.step();
            plans.step();
            sync(ObjectKey.of("default", "shop-0"), Result.done());
            plans.step();
            assertThat(gauge).containsExactly(0.0, 11.0, 11.0, 10.0);
            assertThat(logged.lines()).hasSize(2);
            assertThat(logged.lines().getFirst()).contains("test would change something on 11 of 400 objects: "
                    + "default/shop-0: would delete pods default/a: it is not wanted, ").endsWith(" and more");
        }
    }
}
