package dev.wheelhouse.metrics;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import dev.wheelhouse.workqueue.WorkQueueMetrics;
import dev.wheelhouse.workqueue.WorkQueueState;

/** The queues' metrics in Micrometer, under client-go's names. */
final class WorkQueueMeters implements WorkQueueMetrics {
    private final MeterRegistry registry;
    private final ConcurrentHashMap<String, Meters> queues = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, Supplier<WorkQueueState>> states = new ConcurrentHashMap<>();

    private record Meters(Counter adds, Counter retries, Timer waited, Timer worked) {}

    WorkQueueMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    private Meters of(String queue) {
        return queues.computeIfAbsent(queue,
                name -> new Meters(
                        Counter.builder("workqueue.adds").description("Keys added").tag("name", name)
                                .register(registry),
                        Counter.builder("workqueue.retries").description("Keys added by the rate limiter")
                                .tag("name", name)
                                .register(registry),
                        timer("workqueue.queue.duration", "Time that keys wait to be taken", name),
                        timer("workqueue.work.duration", "Duration of the work on a key", name)));
    }

    private Timer timer(String meter, String description, String queue) {
        return Timer.builder(meter).description(description).tag("name", queue)
                .serviceLevelObjectives(Duration.ofMillis(1), Duration.ofMillis(10), Duration.ofMillis(100),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(10))
                .register(registry);
    }

    private void gauge(String meter, String description, String queue, ToDoubleFunction<WorkQueueState> value) {
        Gauge.builder(meter, () -> value.applyAsDouble(Objects.requireNonNull(states.get(queue)).get()))
                .description(description).tag("name", queue).strongReference(true).register(registry);
    }

    @Override
    public void made(String queue, Supplier<WorkQueueState> state) {
        of(queue);
        // A controller that is made again makes a new queue of the same name, whose state the gauges show from then on.
        states.put(queue, state);
        gauge("workqueue.depth", "Keys that are ready to be taken", queue, WorkQueueState::depth);
        gauge("workqueue.delayed", "Keys whose delay has not ended", queue, WorkQueueState::delayed);
        gauge("workqueue.unfinished.work.seconds", "Time that the keys in processing have taken so far, in total",
                queue, s -> s.unfinishedWork().toNanos() / 1e9);
        gauge("workqueue.longest.running.processor.seconds", "Time that the longest processing has taken so far", queue,
                s -> s.longestRunning().toNanos() / 1e9);
    }

    @Override
    public void added(String queue) {
        of(queue).adds.increment();
    }

    @Override
    public void taken(String queue, long nanos) {
        of(queue).waited.record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void worked(String queue, long nanos) {
        of(queue).worked.record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void retried(String queue) {
        of(queue).retries.increment();
    }
}
