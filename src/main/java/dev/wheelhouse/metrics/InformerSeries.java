package dev.wheelhouse.metrics;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

import dev.wheelhouse.informer.InformerState;
import dev.wheelhouse.runtime.Clock;

/**
 * The series of the informers with equal tags. A gauge shows their sum, or the largest lag. Series of rare events are
 * registered by the first event.
 */
final class InformerSeries {
    /** The number of digits of a resource version that a double represents exactly. */
    private static final int DIGITS = 15;

    private final MeterRegistry registry;
    private final Clock clock;
    private final Tags tags;
    private final List<Supplier<InformerState>> states = new CopyOnWriteArrayList<>();
    private final List<Meter> gauges;

    final Counter lists;
    final Timer listDuration;
    final DistributionSummary itemsPerList;
    final Counter watches;
    final Counter bytes;
    final Counter events;
    final Timer syncs;
    final Timer processing;
    final Timer handlers;
    private final DistributionSummary itemsPerWatch;

    InformerSeries(MeterRegistry registry, Clock clock, Tags tags) {
        this.registry = registry;
        this.clock = clock;
        this.tags = tags;
        gauges = List.of(
                gauge("informer.objects", "Objects in the cache", sum(InformerState::objects)),
                gauge("informer.synced", "1 once the cache has held the whole initial list",
                        series -> series.states.stream().allMatch(state -> state.get().synced()) ? 1 : 0),
                gauge("informer.queued.items", "Changes that were read and are not in the cache yet",
                        sum(state -> state.counts().queued())),
                gauge("informer.store.resource.version",
                        "The 15 least significant digits of the resource version that the cache has reached",
                        most(state -> digits(state.resourceVersion()))),
                gauge("informer.pending", "Notifications that wait for handlers",
                        sum(state -> state.handlers().stream().mapToInt(InformerState.Handler::pending).sum())),
                gauge("informer.lag",
                        "Time since the last message of the server, bookmarks included: the cache lags by no more",
                        most(this::lag)));
        lists = counter("reflector.lists", "Lists; all pages of a list count as one");
        listDuration = listDuration(true);
        itemsPerList = summary("reflector.items.per.list", "Objects per list");
        watches = counter("reflector.watches", "Watches that were opened");
        itemsPerWatch = summary("reflector.items.per.watch", "Events per watch");
        bytes = counter("reflector.bytes", "Bytes read from the API server");
        events = counter("reflector.events", "Events passed to the cache");
        syncs = Timer.builder("informer.sync.duration").tags(tags)
                .description("Time from the start of an informer until its cache has synced").register(registry);
        processing = Timer.builder("informer.processing.latency").tags(tags)
                .description("Time from taking a batch off the queue until cache and listeners have it")
                .serviceLevelObjectives(Buckets.seconds(0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10))
                .register(registry);
        handlers = handlers(false);
    }

    // ---- the informers

    void add(Supplier<InformerState> state) {
        states.add(state);
    }

    /** @return whether no informer is left; the gauges are removed then */
    boolean removeAndCheckEmpty(Supplier<InformerState> state) {
        states.remove(state);
        if (states.isEmpty()) {
            gauges.forEach(registry::remove);
        }
        return states.isEmpty();
    }

    private Gauge gauge(String name, String description, ToDoubleFunction<InformerSeries> value) {
        return Gauge.builder(name, this, value).tags(tags).description(description)
                .baseUnit(name.equals("informer.lag") ? "seconds" : null).register(registry);
    }

    private static ToDoubleFunction<InformerSeries> sum(ToDoubleFunction<InformerState> value) {
        return series -> series.states.stream().mapToDouble(state -> value.applyAsDouble(state.get())).sum();
    }

    /** The largest value that is a number; NaN if there is none. */
    private static ToDoubleFunction<InformerSeries> most(ToDoubleFunction<InformerState> value) {
        return series -> series.states.stream().mapToDouble(state -> value.applyAsDouble(state.get()))
                .filter(number -> !Double.isNaN(number)).max().orElse(Double.NaN);
    }

    private double lag(InformerState state) {
        Duration lag = state.lag(clock.now());
        return lag == null ? Double.NaN : lag.toMillis() / 1000.0;
    }

    private static double digits(String version) {
        String last = version.length() > DIGITS ? version.substring(version.length() - DIGITS) : version;
        try {
            return last.isEmpty() ? Double.NaN : Long.parseLong(last);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    // ---- their events

    private Counter counter(String name, String description, String... more) {
        return Counter.builder(name).description(description).tags(tags.and(more)).register(registry);
    }

    private DistributionSummary summary(String name, String description) {
        return DistributionSummary.builder(name).description(description).tags(tags).register(registry);
    }

    Timer handlers(boolean failed) {
        return Timer.builder("informer.handler.duration").description("Duration of handler calls")
                .tags(tags.and("failed", String.valueOf(failed))).register(registry);
    }

    Timer listDuration(boolean succeeded) {
        return Timer.builder("reflector.list.duration").description("Duration of lists, all pages included")
                .tags(tags.and("outcome", succeeded ? "success" : "failure")).register(registry);
    }

    void conflated() {
        counter("informer.conflations", "Updates merged with a later one because a handler was slow").increment();
    }

    void relisted(String cause) {
        counter("reflector.relists", "Lists after the first, by cause", "cause", cause).increment();
    }

    void decodeErrors(int count) {
        counter("reflector.decode.errors", "Objects skipped because they could not be decoded").increment(count);
    }

    void watchEnded(String cause, Duration lasted, long count) {
        Timer.builder("reflector.watch.duration").description("Duration of watches by the cause of their end")
                .tags(tags.and("cause", cause)).register(registry).record(lasted);
        itemsPerWatch.record((double) count);
        if (count == 0 && lasted.toMillis() < 1000) {
            counter("reflector.short.watches", "Watches that ended within a second and without an event").increment();
        }
    }
}
