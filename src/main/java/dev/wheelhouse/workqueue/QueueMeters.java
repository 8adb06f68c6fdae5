package dev.wheelhouse.workqueue;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.meters.SharedGauge;
import dev.wheelhouse.meters.SharedGauge.Together;
import dev.wheelhouse.runtime.Resources;

/**
 * The meters of one queue, under client-go's names. Queues that upstream has too have upstream's names. The shards of a
 * controller have queues of the same name, whose gauges are added.
 */
final class QueueMeters {
    /**
     * Upstream's name of a controller's queue, where the queue has the name of the controller here (upstream: the
     * {@code TypedRateLimitingQueueConfig} in each folder of {@code pkg/controller}).
     */
    private static final Map<String, String> UPSTREAM = Resources
            .text(QueueMeters.class, "upstream-queues.tsv").lines().filter(line -> !line.startsWith("#"))
            .map(line -> line.split("\t")).collect(Collectors.toUnmodifiableMap(cells -> cells[0], cells -> cells[1]));

    final Counter adds;
    final Counter retries;
    final Timer waited;
    final Timer worked;
    private final MeterRegistry registry;
    private final Tags tags;
    private final Supplier<WorkQueueState> state;
    private final List<SharedGauge.Membership> gauges;

    QueueMeters(String queue, MeterRegistry registry, Supplier<WorkQueueState> state) {
        this.registry = registry;
        this.tags = Tags.of("name", UPSTREAM.getOrDefault(queue, queue));
        this.state = state;
        adds = counter("workqueue.adds", "Keys added");
        retries = counter("workqueue.retries", "Keys added by the rate limiter");
        waited = timer("workqueue.queue.duration", "Time that keys wait to be taken");
        worked = timer("workqueue.work.duration", "Duration of the work on a key");
        gauges = List.of(
                gauge("workqueue.depth", "Keys that are ready to be taken", Together.SUM, WorkQueueState::depth),
                gauge("workqueue.delayed", "Keys whose delay has not ended", Together.SUM, WorkQueueState::delayed),
                gauge("workqueue.unfinished.work.seconds",
                        "Time that the keys in processing have taken so far, in total", Together.SUM,
                        now -> now.unfinishedWork().toNanos() / 1e9),
                gauge("workqueue.longest.running.processor.seconds",
                        "Time that the longest processing has taken so far", Together.MOST,
                        now -> now.longestRunning().toNanos() / 1e9));
    }

    private Counter counter(String name, String help) {
        return Counter.builder(name).description(help).tags(tags).register(registry);
    }

    private Timer timer(String name, String help) {
        return Timer.builder(name).description(help).tags(tags)
                .serviceLevelObjectives(Meters.seconds(1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10))
                .register(registry);
    }

    private SharedGauge.Membership gauge(String name, String help, Together together,
            ToDoubleFunction<WorkQueueState> value) {
        return SharedGauge.join(registry, SharedGauge.id(name, help, tags), together, this,
                meters -> value.applyAsDouble(meters.state.get()));
    }

    /** The gauges do not count this queue any more. */
    void end() {
        gauges.forEach(SharedGauge.Membership::end);
    }
}
