package dev.wheelhouse.controller;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import dev.wheelhouse.runtime.ManualClock;
import dev.wheelhouse.workqueue.RateLimitingQueue;
import dev.wheelhouse.workqueue.RateLimits;

import static org.assertj.core.api.Assertions.assertThat;

/** A sharded controller has several queues of one name. The gauges show all of them, and none that has ended. */
class ShardedMetricsTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private double gauge(String name) {
        return registry.get(name).gauge().value();
    }

    @Test
    void theDepthsOfQueuesOfOneNameAreAdded() {
        RateLimitingQueue<String> first = queue();
        RateLimitingQueue<String> second = queue();
        first.add("a");
        second.add("b");
        second.add("c");
        assertThat(gauge("workqueue.depth")).isEqualTo(3);
        second.shutDown();
        assertThat(gauge("workqueue.depth")).isEqualTo(1);
    }

    private RateLimitingQueue<String> queue() {
        return new RateLimitingQueue<>("q", new ManualClock(), RateLimits.CONTROLLER, Duration.ofMinutes(1), key -> "",
                registry);
    }

    @Test
    void theGaugesOfShardsAreAddedUntilTheShardEnds() {
        Measure claims = Measure.gauge("claims", "Claims");
        ControllerMetrics meters = new ControllerMetrics(registry);
        ControllerMetrics first = meters.ofShard();
        ControllerMetrics second = meters.ofShard();
        first.record(claims, 2);
        second.record(claims, 3);
        first.record(claims, 4);
        assertThat(gauge("claims")).isEqualTo(7);
        second.end();
        assertThat(gauge("claims")).isEqualTo(4);
        first.end();
        assertThat(registry.find("claims").gauge()).isNull();
    }

    @Test
    void aControllerRunsIfItRunsForAnyShard() {
        ControllerMetrics meters = new ControllerMetrics(registry);
        Runnable ended = meters.managed("c", () -> true, () -> 2, () -> 3);
        Runnable other = meters.managed("c", () -> false, () -> 1, () -> 1);
        assertThat(gauge("running.managed.controllers")).isEqualTo(1);
        assertThat(gauge("controller.syncs.blocked")).isEqualTo(3);
        assertThat(gauge("controller.keys.failing")).isEqualTo(4);
        ended.run();
        assertThat(gauge("running.managed.controllers")).isZero();
        assertThat(gauge("controller.keys.failing")).isEqualTo(1);
        other.run();
        assertThat(gauge("controller.keys.failing")).isZero();
    }
}
