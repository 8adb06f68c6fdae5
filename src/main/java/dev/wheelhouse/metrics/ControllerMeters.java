package dev.wheelhouse.metrics;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.observation.ObservationRegistry;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.controller.Measure;
import dev.wheelhouse.controller.SyncTrace;

/** The controllers' metrics in Micrometer. */
final class ControllerMeters implements ControllerMetrics {
    private static final Duration[] BUCKETS = Buckets.seconds(0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
            60);

    private final MeterRegistry registry;
    private final ObservationRegistry traces;
    private final ConcurrentHashMap<String, Timer> syncs = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, AtomicReference<Double>> gauges = new ConcurrentHashMap<>();

    /** @param traces follows each sync; a registry that does nothing costs nothing */
    ControllerMeters(MeterRegistry registry, ObservationRegistry traces) {
        this.registry = registry;
        this.traces = traces;
    }

    @Override
    public SyncTrace begin(String controller, Object key) {
        return ObservedSync.begin(controller, key, traces);
    }

    @Override
    public void managed(String controller, BooleanSupplier running, IntSupplier blocked, IntSupplier failing) {
        Gauge.builder("running.managed.controllers", () -> running.getAsBoolean() ? 1 : 0)
                .description("1 if the controller runs in this process").tag("manager", "wheelhouse")
                .tag("name", controller).strongReference(true).register(registry);
        gauge("controller.syncs.blocked", "Syncs that have run for more than 30 s", controller, blocked);
        gauge("controller.keys.failing", "Keys whose last sync failed", controller, failing);
    }

    private void gauge(String name, String description, String controller, IntSupplier count) {
        Gauge.builder(name, count::getAsInt).description(description).tag("controller", controller)
                .strongReference(true).register(registry);
    }

    @Override
    public void synced(String controller, String result, long nanos) {
        syncs.computeIfAbsent(controller + " " + result,
                key -> Timer.builder("controller.sync.duration").description("Duration of syncs by result")
                        .tag("controller", controller).tag("result", result)
                        .serviceLevelObjectives(BUCKETS).register(registry))
                .record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void delayed(String controller) {
        Counter.builder("controller.syncs.put.off")
                .description("Syncs delayed until the caches show the key's own writes")
                .tag("controller", controller).register(registry).increment();
    }

    @Override
    public void written(String controller, String verb, ResourceType type, int code) {
        Counter.builder("controller.writes").description("Writes by the status code of the response")
                .tag("controller", controller)
                .tag("verb", verb).tag("resource", type.groupResource()).tag("code", String.valueOf(code))
                .register(registry)
                .increment();
    }

    @Override
    public void planned(String controller, String verb, ResourceType type) {
        Counter.builder("controller.writes.planned")
                .description("Writes that were decided and not made, because the controller only observes")
                .tag("controller", controller).tag("verb", verb).tag("resource", type.groupResource())
                .register(registry).increment();
    }

    @Override
    public void record(Measure measure, double value, String... labels) {
        List<Tag> tags = tags(measure, labels);
        switch (measure.kind()) {
            case COUNTER -> Counter.builder(measure.name()).description(measure.help()).tags(tags).register(registry)
                    .increment(value);
            case GAUGE -> gauges.computeIfAbsent(measure.name() + tags, key -> {
                AtomicReference<Double> last = new AtomicReference<>(value);
                Gauge.builder(measure.name(), last, AtomicReference::get).description(measure.help()).tags(tags)
                        .register(registry);
                return last;
            }).set(value);
            case HISTOGRAM -> DistributionSummary.builder(measure.name()).description(measure.help()).tags(tags)
                    .serviceLevelObjectives(measure.buckets().stream().mapToDouble(Double::doubleValue).toArray())
                    .register(registry).record(value);
        }
    }

    @Override
    public void remove(Measure gauge, String... labels) {
        List<Tag> tags = tags(gauge, labels);
        gauges.computeIfPresent(gauge.name() + tags, (key, last) -> {
            registry.find(gauge.name()).tags(tags).meters().forEach(registry::remove);
            return null;
        });
    }

    private static List<Tag> tags(Measure measure, String... labels) {
        List<Tag> tags = new ArrayList<>(labels.length);
        for (int i = 0; i < labels.length; i++) {
            tags.add(Tag.of(measure.labels().get(i), labels[i]));
        }
        return tags;
    }
}
