package dev.wheelhouse.operator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.runtime.ManualClock;
import dev.wheelhouse.workqueue.RunRates;

import static dev.wheelhouse.operator.OperatorWorld.BLOG;
import static dev.wheelhouse.operator.OperatorWorld.SITES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RunRateTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final List<OperatorWorld> worlds = new ArrayList<>();

    @AfterEach
    void close() {
        worlds.forEach(OperatorWorld::close);
    }

    private OperatorWorld run(Scripted operator) {
        OperatorWorld world = new OperatorWorld(operator);
        worlds.add(world);
        return world;
    }

    private static void label(OperatorWorld world, String value) {
        world.cluster.edit(SITES, Site.class, BLOG, site -> site.getMetadata().putLabelsItem("a", value));
    }

    @Test
    void anObjectThatChangesTooOftenIsReconciledOnceForAllChangesInItsTurn() {
        Scripted operator = new Scripted(setup -> setup.runRateOfEach(2, MINUTE));
        OperatorWorld world = run(operator);
        world.createSite("{metadata: {name: blog, namespace: default}}");
        world.settle();
        label(world, "1");
        world.settle();
        assertThat(operator.takeCalls()).containsExactly("blog", "blog");
        for (int i = 2; i < 6; i++) {
            label(world, String.valueOf(i));
            world.settle();
        }
        assertThat(operator.takeCalls()).isEmpty();
        world.createSite("{metadata: {name: shop, namespace: default}}");
        world.settle();
        assertThat(operator.takeCalls()).as("another object has its own rate").containsExactly("shop");
        world.cluster.clock.advance(Duration.ofSeconds(29));
        world.settle();
        assertThat(operator.takeCalls()).isEmpty();
        world.cluster.clock.advance(Duration.ofSeconds(1));
        world.settle(Duration.ofSeconds(29));
        assertThat(operator.takeCalls()).containsExactly("blog");
    }

    @Test
    void allObjectsTogetherShareTheRateOfTheOperatorInTheOrderInWhichTheyCame() {
        Scripted operator = new Scripted(setup -> setup.runRate(2, MINUTE));
        OperatorWorld world = run(operator);
        for (String name : List.of("a", "b", "c", "d")) {
            world.createSite("{metadata: {name: " + name + ", namespace: default}}");
        }
        world.settle();
        assertThat(operator.takeCalls()).containsExactly("a", "b");
        world.cluster.clock.advance(Duration.ofSeconds(30));
        world.settle();
        assertThat(operator.takeCalls()).containsExactly("c");
        world.cluster.clock.advance(Duration.ofSeconds(30));
        world.settle();
        assertThat(operator.takeCalls()).containsExactly("d");
    }

    @Test
    void keysWhoseOwnWaitsEndAtOnceStillShareTheRateOfAll() {
        ManualClock clock = new ManualClock();
        RunRates<String> rates = new RunRates<>(new RunRates.Rate(1, MINUTE), new RunRates.Rate(2, MINUTE), clock);
        assertThat(rates.delay("a")).isZero();
        assertThat(rates.delay("b")).isZero();
        assertThat(rates.delay("a")).isEqualTo(MINUTE);
        assertThat(rates.delay("b")).isEqualTo(MINUTE);
        assertThat(rates.delay("c")).isEqualTo(Duration.ofSeconds(30));
        clock.advance(MINUTE);
        List<Duration> waits = List.of(rates.delay("c"), rates.delay("a"), rates.delay("b"));
        assertThat(waits).containsExactly(Duration.ZERO, Duration.ZERO, Duration.ofSeconds(30));
    }

    @Test
    void delaysAreCountedApartFromThoseOfCaches() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        OperatorWorld world = run(new Scripted(setup -> setup.name("slow").runRateOfEach(1, MINUTE)));
        ControllerContext.Settings stepped = ControllerContext.Settings.stepped();
        world.restart(() -> world.cluster.context(new ControllerContext.Settings(stepped.workers(), stepped.parallel(),
                stepped.observes(), stepped.mayWrite(), new ControllerMetrics(registry))));
        world.createSite("{metadata: {name: blog, namespace: default}}");
        world.settle();
        label(world, "1");
        world.settle();
        assertThat(registry.get("controller.syncs.put.off").tags("controller", "slow", "why", "rate").counter().count())
                .isEqualTo(1);
        assertThat(registry.get("workqueue.delayed").tag("name", "slow").gauge().value()).isEqualTo(1);
        assertThat(world.controller.heldBack()).isEqualTo(1);
    }

    @Test
    void aRateOfNothingIsRefusedWithTheNameOfTheOperator() {
        assertThatThrownBy(() -> run(new Scripted(setup -> setup.name("slow").runRate(0, MINUTE))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("operator slow: a rate of 0 in PT1M: both must be positive");
    }
}
