package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleConsumer;
import java.util.function.IntSupplier;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.observation.ObservationRegistry;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.meters.SharedGauge;
import dev.wheelhouse.meters.SharedGauge.Membership;
import dev.wheelhouse.meters.SharedGauge.Together;

/** The meters of the controllers of one process, or of one of its shards. Thread safe. */
public class ControllerMetrics {
    /** Counts nothing. */
    public static final ControllerMetrics NONE = new ControllerMetrics(Meters.NONE);

    /**
     * The most series of one counter or histogram. The bound is needed because objects choose some of the labels'
     * values.
     */
    static final int MOST_SERIES = 1000;
    /** The value of all labels of the series that counts what has no series of its own. */
    static final String OTHERS = "(others)";

    private static final Duration[] BUCKETS = Meters.seconds(0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
            60);

    private final MeterRegistry registry;
    private final ObservationRegistry traces;
    private final Meter.MeterProvider<Counter> delays;
    private final Meter.MeterProvider<Counter> plannedWrites;
    private final Map<Sync, Timer> syncs = new ConcurrentHashMap<>();
    private final Map<Write, Counter> writes = new ConcurrentHashMap<>();
    private final Map<Series, Value> gauges = new ConcurrentHashMap<>();
    /** The counters and histograms of all shards. */
    private final Map<Series, DoubleConsumer> measures;
    /** The numbers of series in {@link #measures}. */
    private final Map<Measure, AtomicInteger> counts;

    private record Sync(String controller, String result) {}

    private record Write(String controller, String verb, ResourceType type, int code) {}

    /** @param labels the values of the measure's labels, in their order */
    private record Series(Measure measure, List<String> labels) {}

    /** The value of a gauge here. Other shards may have values that are added to it. */
    private static final class Value {
        private final Membership membership;
        private volatile double now;

        Value(MeterRegistry registry, Meter.Id gauge) {
            membership = SharedGauge.join(registry, gauge, Together.SUM, this, value -> value.now);
        }
    }

    /** Metrics without traces. */
    public ControllerMetrics(MeterRegistry registry) {
        this(registry, ObservationRegistry.NOOP);
    }

    /**
     * @param traces gets an observation {@code wheelhouse.sync} for each sync, with its writes as children; a registry
     *     that does nothing costs nothing
     */
    public ControllerMetrics(MeterRegistry registry, ObservationRegistry traces) {
        this(registry, traces, new ConcurrentHashMap<>(), new ConcurrentHashMap<>());
    }

    private ControllerMetrics(MeterRegistry registry, ObservationRegistry traces, Map<Series, DoubleConsumer> measures,
            Map<Measure, AtomicInteger> counts) {
        this.registry = registry;
        this.traces = traces;
        this.measures = measures;
        this.counts = counts;
        this.delays = Counter.builder("controller.syncs.put.off")
                .description("Syncs delayed until the caches show the key's own writes, or by a limit of their rate")
                .withRegistry(registry);
        this.plannedWrites = Counter.builder("controller.writes.planned")
                .description("Writes that were decided and not made, because the controller only observes")
                .withRegistry(registry);
    }

    /** The registry, for the meters of other parts of the process. */
    public final MeterRegistry registry() {
        return registry;
    }

    /** These metrics for one of several shards of a process, whose gauges are added to those of the others. */
    public final ControllerMetrics ofShard() {
        return new ControllerMetrics(registry, traces, measures, counts);
    }

    /** The shard has ended: its gauges do not count any more. */
    public final void end() {
        gauges.keySet().forEach(this::remove);
    }

    /** A sync begins on this thread. */
    public SyncTrace begin(String controller, Object key) {
        return ObservedSync.begin(controller, key, traces);
    }

    /** A managed controller, until it is run. The gauges of its name count it. */
    private static final class Managed implements Runnable {
        private final BooleanSupplier running;
        private final IntSupplier blocked;
        private final IntSupplier failing;
        private final List<Membership> gauges;

        Managed(String controller, MeterRegistry registry, BooleanSupplier running, IntSupplier blocked,
                IntSupplier failing) {
            this.running = running;
            this.blocked = blocked;
            this.failing = failing;
            Tags tags = Tags.of("controller", controller);
            gauges = List.of(
                    join(registry, "running.managed.controllers", "1 if the controller runs in this process",
                            Tags.of("manager", "wheelhouse", "name", controller), Together.MOST,
                            one -> one.running.getAsBoolean() ? 1 : 0),
                    join(registry, "controller.syncs.blocked", "Syncs that have run for more than 30 s", tags,
                            Together.SUM, one -> one.blocked.getAsInt()),
                    join(registry, "controller.keys.failing", "Keys whose last sync failed", tags, Together.SUM,
                            one -> one.failing.getAsInt()));
        }

        private Membership join(MeterRegistry registry, String name, String help, Tags tags, Together together,
                ToDoubleFunction<Managed> value) {
            return SharedGauge.join(registry, SharedGauge.id(name, help, tags), together, this, value);
        }

        @Override
        public void run() {
            gauges.forEach(Membership::end);
        }
    }

    /**
     * A controller is managed. A process has several of one name if they are sharded.
     *
     * @param running whether it runs at this moment
     * @param blocked counts its syncs that have run for so long that they seem to block
     * @param failing counts its keys whose last sync failed
     * @return is called when the controller is not managed any more; the gauges count the controller while the caller
     *     keeps it
     */
    public final Runnable managed(String controller, BooleanSupplier running, IntSupplier blocked,
            IntSupplier failing) {
        return new Managed(controller, registry, running, blocked, failing);
    }

    /**
     * A sync ended.
     * @param result see {@link Result#label()}
     * @param nanos the duration in nanoseconds
     */
    public void synced(String controller, String result, long nanos) {
        syncs.computeIfAbsent(new Sync(controller, result),
                key -> Timer.builder("controller.sync.duration").description("Duration of syncs by result")
                        .tag("controller", controller).tag("result", result)
                        .serviceLevelObjectives(BUCKETS).register(registry))
                .record(nanos, TimeUnit.NANOSECONDS);
    }

    /**
     * A sync was delayed.
     *
     * @param why {@code cache} if a cache does not show the key's own writes yet, {@code rate} if it came too soon
     */
    public void delayed(String controller, String why) {
        delays.withTags("controller", controller, "why", why).increment();
    }

    /**
     * A write was tried.
     *
     * @param verb see {@link Action.Write#verb()}
     * @param code the HTTP status of the response; 0 if there was none
     */
    public void written(String controller, String verb, ResourceType type, int code) {
        writes.computeIfAbsent(new Write(controller, verb, type, code),
                write -> Counter.builder("controller.writes").description("Writes by the status code of the response")
                        .tag("controller", controller).tag("verb", verb).tag("resource", type.groupResource())
                        .tag("code", String.valueOf(code)).register(registry))
                .increment();
    }

    /** A write was decided on, but not made because the controller only observes. */
    public void planned(String controller, String verb, ResourceType type) {
        plannedWrites.withTags("controller", controller, "verb", verb, "resource", type.groupResource()).increment();
    }

    /**
     * Records a value of a metric that one controller has by upstream's name.
     * @param labels the values of the metric's labels, in its order
     */
    public void record(Measure measure, double value, String... labels) {
        Series series = new Series(measure, List.of(labels));
        if (measure.kind() == Measure.Kind.GAUGE) {
            gauges.compute(series, (key, known) -> {
                Value gauge = known == null
                        ? new Value(registry, SharedGauge.id(measure.name(), measure.help(), tags(key)))
                        : known;
                gauge.now = value;
                return gauge;
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

    private DoubleConsumer register(Series series) {
        Measure measure = series.measure;
        Tags tags = tags(series);
        return measure.kind() == Measure.Kind.COUNTER
                ? Counter.builder(measure.name()).description(measure.help()).tags(tags).register(registry)::increment
                : DistributionSummary.builder(measure.name()).description(measure.help()).tags(tags)
                        .serviceLevelObjectives(measure.buckets().stream().mapToDouble(Double::doubleValue).toArray())
                        .register(registry)::record;
    }

    /** Removes the value of a gauge, because the object with these labels is gone. */
    public void remove(Measure gauge, String... labels) {
        remove(new Series(gauge, List.of(labels)));
    }

    private void remove(Series series) {
        gauges.computeIfPresent(series, (key, gauge) -> {
            gauge.membership.remove();
            return null;
        });
    }

    private static Tags tags(Series series) {
        List<Tag> tags = new ArrayList<>(series.labels.size());
        for (int i = 0; i < series.labels.size(); i++) {
            tags.add(Tag.of(series.measure.labels().get(i), series.labels.get(i)));
        }
        return Tags.of(tags);
    }
}
