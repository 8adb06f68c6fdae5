package dev.wheelhouse.metrics;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleConsumer;
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

    /**
     * The most series of one counter or histogram. The bound is needed because objects choose some of the labels'
     * values.
     */
    static final int MOST_SERIES = 1000;
    /** The value of all labels of the series that counts what has no series of its own. */
    static final String OTHERS = "(others)";

    private final MeterRegistry registry;
    private final ObservationRegistry traces;
    private final ConcurrentHashMap<Sync, Timer> syncs;
    private final ConcurrentHashMap<String, Counter> delays;
    private final ConcurrentHashMap<Write, Counter> writes;
    private final ConcurrentHashMap<Series, DoubleConsumer> measures;
    /** The numbers of series in {@link #measures}. */
    private final ConcurrentHashMap<Measure, AtomicInteger> counts;
    /** The values of each gauge by shard. */
    private final ConcurrentHashMap<Series, Map<ControllerMeters, Double>> gauges;
    private final ConcurrentHashMap<String, Set<Managed>> managed;

    private record Sync(String controller, String result) {}

    private record Write(String controller, String verb, ResourceType type, int code) {}

    private record Managed(BooleanSupplier running, IntSupplier blocked, IntSupplier failing) {}

    /** @param labels the values of the measure's labels, in their order */
    private record Series(Measure measure, List<String> labels) {}

    /** @param traces follows each sync; a registry that does nothing costs nothing */
    ControllerMeters(MeterRegistry registry, ObservationRegistry traces) {
        this.registry = registry;
        this.traces = traces;
        this.syncs = new ConcurrentHashMap<>();
        this.delays = new ConcurrentHashMap<>();
        this.writes = new ConcurrentHashMap<>();
        this.measures = new ConcurrentHashMap<>();
        this.counts = new ConcurrentHashMap<>();
        this.gauges = new ConcurrentHashMap<>();
        this.managed = new ConcurrentHashMap<>();
    }

    private ControllerMeters(ControllerMeters process) {
        this.registry = process.registry;
        this.traces = process.traces;
        this.syncs = process.syncs;
        this.delays = process.delays;
        this.writes = process.writes;
        this.measures = process.measures;
        this.counts = process.counts;
        this.gauges = process.gauges;
        this.managed = process.managed;
    }

    @Override
    public ControllerMetrics ofShard() {
        return new ControllerMeters(this);
    }

    @Override
    public void end() {
        gauges.keySet().forEach(this::remove);
    }

    @Override
    public SyncTrace begin(String controller, Object key) {
        return ObservedSync.begin(controller, key, traces);
    }

    @Override
    public Runnable managed(String controller, BooleanSupplier running, IntSupplier blocked, IntSupplier failing) {
        Set<Managed> group = managed.computeIfAbsent(controller, name -> gauges(name, ConcurrentHashMap.newKeySet()));
        Managed one = new Managed(running, blocked, failing);
        group.add(one);
        return () -> group.remove(one);
    }

    /** Registers the gauges of a controller. A process has several of one name if they are sharded. */
    private Set<Managed> gauges(String controller, Set<Managed> group) {
        Gauge.builder("running.managed.controllers",
                () -> group.stream().anyMatch(one -> one.running.getAsBoolean()) ? 1 : 0)
                .description("1 if the controller runs in this process").tag("manager", "wheelhouse")
                .tag("name", controller).strongReference(true).register(registry);
        gauge("controller.syncs.blocked", "Syncs that have run for more than 30 s", controller,
                () -> group.stream().mapToInt(one -> one.blocked.getAsInt()).sum());
        gauge("controller.keys.failing", "Keys whose last sync failed", controller,
                () -> group.stream().mapToInt(one -> one.failing.getAsInt()).sum());
        return group;
    }

    private void gauge(String name, String description, String controller, IntSupplier count) {
        Gauge.builder(name, count::getAsInt).description(description).tag("controller", controller)
                .strongReference(true).register(registry);
    }

    @Override
    public void synced(String controller, String result, long nanos) {
        syncs.computeIfAbsent(new Sync(controller, result),
                key -> Timer.builder("controller.sync.duration").description("Duration of syncs by result")
                        .tag("controller", controller).tag("result", result)
                        .serviceLevelObjectives(BUCKETS).register(registry))
                .record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void delayed(String controller) {
        delays.computeIfAbsent(controller,
                name -> Counter.builder("controller.syncs.put.off")
                        .description("Syncs delayed until the caches show the key's own writes")
                        .tag("controller", name).register(registry))
                .increment();
    }

    @Override
    public void written(String controller, String verb, ResourceType type, int code) {
        writes.computeIfAbsent(new Write(controller, verb, type, code),
                write -> Counter.builder("controller.writes").description("Writes by the status code of the response")
                        .tag("controller", controller).tag("verb", verb).tag("resource", type.groupResource())
                        .tag("code", String.valueOf(code)).register(registry))
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
        Series series = new Series(measure, List.of(labels));
        if (measure.kind() == Measure.Kind.GAUGE) {
            gauges.compute(series, (key, values) -> {
                Map<ControllerMeters, Double> all = values == null ? registerGauge(key) : values;
                all.put(this, value);
                return all;
            });
        } else {
            counting(series).accept(value);
        }
    }

    private DoubleConsumer counting(Series series) {
        DoubleConsumer known = measures.get(series);
        if (known != null) {
            return known;
        }
        AtomicInteger count = counts.computeIfAbsent(series.measure, measure -> new AtomicInteger());
        return measures.computeIfAbsent(count.get() < MOST_SERIES && count.getAndIncrement() < MOST_SERIES
                ? series
                : new Series(series.measure, Collections.nCopies(series.labels.size(), OTHERS)), this::register);
    }

    private Map<ControllerMeters, Double> registerGauge(Series series) {
        Map<ControllerMeters, Double> values = new ConcurrentHashMap<>();
        Measure measure = series.measure;
        Gauge.builder(measure.name(), values, all -> all.values().stream().mapToDouble(Double::doubleValue).sum())
                .description(measure.help()).tags(tags(series)).strongReference(true).register(registry);
        return values;
    }

    private DoubleConsumer register(Series series) {
        Measure measure = series.measure;
        List<Tag> tags = tags(series);
        return measure.kind() == Measure.Kind.COUNTER
                ? Counter.builder(measure.name()).description(measure.help()).tags(tags).register(registry)::increment
                : DistributionSummary.builder(measure.name()).description(measure.help()).tags(tags)
                        .serviceLevelObjectives(measure.buckets().stream().mapToDouble(Double::doubleValue).toArray())
                        .register(registry)::record;
    }

    @Override
    public void remove(Measure gauge, String... labels) {
        remove(new Series(gauge, List.of(labels)));
    }

    private void remove(Series series) {
        gauges.computeIfPresent(series, (key, values) -> {
            values.remove(this);
            if (!values.isEmpty()) {
                return values;
            }
            registry.find(key.measure.name()).tags(tags(key)).meters().forEach(registry::remove);
            return null;
        });
    }

    private static List<Tag> tags(Series series) {
        List<Tag> tags = new ArrayList<>(series.labels.size());
        for (int i = 0; i < series.labels.size(); i++) {
            tags.add(Tag.of(series.measure.labels().get(i), series.labels.get(i)));
        }
        return tags;
    }
}
