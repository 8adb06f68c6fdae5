package dev.wheelhouse.metrics;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.informer.InformerMetrics;
import dev.wheelhouse.informer.InformerState;
import dev.wheelhouse.runtime.Clock;

/**
 * The informers' metrics in Micrometer, under client-go's names where it has such metrics (upstream: client-go {@code
 * tools/cache/reflector_metrics.go} and {@code fifo_metrics.go}). Informers with equal tags share their meters: a gauge
 * then shows their sum, or the largest lag.
 */
final class InformerMeters implements InformerMetrics.Provider {
    /** The number of digits of a resource version that a double represents exactly. */
    private static final int DIGITS = 15;

    private final MeterRegistry registry;
    private final Clock clock;
    private final ConcurrentHashMap<Tags, Group> groups = new ConcurrentHashMap<>();

    InformerMeters(MeterRegistry registry, Clock clock) {
        this.registry = registry;
        this.clock = clock;
    }

    @Override
    public InformerMetrics forInformer(ResourceType type, Class<?> model, String namespace, String selector) {
        Tags tags = Tags.of("resource", type.groupResource(), "version", type.version(), "model",
                model.getSimpleName(), "namespace", namespace.isEmpty() ? "*" : namespace, "selector", selector);
        return new Meters(tags);
    }

    /** The gauges of the informers with equal tags. */
    private final class Group {
        final List<Supplier<InformerState>> states = new CopyOnWriteArrayList<>();
        private final List<Meter> gauges = new CopyOnWriteArrayList<>();

        Group(Tags tags) {
            gauge(tags, "informer.objects", "Objects in the cache", group -> group.sum(InformerState::objects));
            gauge(tags, "informer.synced", "1 once the cache has held the whole initial list",
                    group -> group.all(InformerState::synced) ? 1 : 0);
            gauge(tags, "informer.queued.items", "Changes that were read and are not in the cache yet",
                    group -> group.sum(state -> state.counts().queued()));
            gauge(tags, "informer.store.resource.version",
                    "The 15 least significant digits of the resource version that the cache has reached",
                    group -> group.most(state -> digits(state.resourceVersion())));
            gauge(tags, "informer.pending", "Notifications that wait for handlers", group -> group
                    .sum(state -> state.handlers().stream().mapToInt(InformerState.Handler::pending).sum()));
            gauges.add(Gauge.builder("informer.lag", this, group -> group.most(this::lag)).tags(tags)
                    .description(
                            "Time since the last message of the server, bookmarks included: the cache lags by no more")
                    .baseUnit("seconds").register(registry));
        }

        private void gauge(Tags tags, String name, String description, ToDoubleFunction<Group> value) {
            gauges.add(Gauge.builder(name, this, value).tags(tags).description(description).register(registry));
        }

        private double lag(InformerState state) {
            Duration lag = state.lag(clock.now());
            return lag == null ? Double.NaN : lag.toMillis() / 1000.0;
        }

        private double sum(ToDoubleFunction<InformerState> value) {
            return states.stream().mapToDouble(state -> value.applyAsDouble(state.get())).sum();
        }

        private double most(ToDoubleFunction<InformerState> value) {
            return states.stream().mapToDouble(state -> value.applyAsDouble(state.get())).max().orElse(Double.NaN);
        }

        private boolean all(Predicate<InformerState> predicate) {
            return states.stream().allMatch(state -> predicate.test(state.get()));
        }

        void remove() {
            gauges.forEach(registry::remove);
        }
    }

    private static double digits(String version) {
        String last = version.length() > DIGITS ? version.substring(version.length() - DIGITS) : version;
        try {
            return last.isEmpty() ? Double.NaN : Long.parseLong(last);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    private final class Meters implements InformerMetrics {
        private final Tags tags;
        private final ConcurrentHashMap<String, Timer> handlers = new ConcurrentHashMap<>();
        private final ConcurrentHashMap<String, Timer> failedHandlers = new ConcurrentHashMap<>();
        private final Counter lists;
        private final DistributionSummary itemsPerList;
        private final Counter watches;
        private final Counter shortWatches;
        private final DistributionSummary itemsPerWatch;
        private final Counter bytes;
        private final Counter events;
        private final Counter decodeErrors;
        private final Timer processing;
        private volatile Supplier<InformerState> state = () -> {
            throw new IllegalStateException("the metrics were read before the informer was made");
        };

        Meters(Tags tags) {
            this.tags = tags;
            lists = counter("reflector.lists", "Lists; all pages of a list count as one");
            itemsPerList = summary("reflector.items.per.list", "Objects per list");
            watches = counter("reflector.watches", "Watches that were opened");
            shortWatches = counter("reflector.short.watches",
                    "Watches that ended within a second and without an event");
            itemsPerWatch = summary("reflector.items.per.watch", "Events per watch");
            bytes = counter("reflector.bytes", "Bytes read from the API server");
            events = counter("reflector.events", "Events passed to the cache");
            decodeErrors = counter("reflector.decode.errors", "Objects skipped because they could not be decoded");
            processing = Timer.builder("informer.processing.latency").tags(tags)
                    .description("Time from taking a batch off the queue until cache and listeners have it")
                    .register(registry);
        }

        private Counter counter(String name, String description) {
            return Counter.builder(name).description(description).tags(tags).register(registry);
        }

        private DistributionSummary summary(String name, String description) {
            return DistributionSummary.builder(name).description(description).tags(tags).register(registry);
        }

        @Override
        public void made(Supplier<InformerState> source) {
            state = source;
            groups.compute(tags, (key, known) -> {
                Group group = known == null ? new Group(key) : known;
                group.states.add(source);
                return group;
            });
        }

        @Override
        public void stopped() {
            groups.computeIfPresent(tags, (key, group) -> {
                group.states.remove(state);
                if (!group.states.isEmpty()) {
                    return group;
                }
                group.remove();
                return null;
            });
        }

        @Override
        public void synced(Duration sinceStart) {
            Timer.builder("informer.sync.duration")
                    .description("Time from the start of an informer until its cache has synced")
                    .tags(tags).register(registry).record(sinceStart);
        }

        @Override
        public void processed(Duration took) {
            processing.record(took);
        }

        @Override
        public void handled(String listener, Duration took, boolean failed) {
            (failed ? failedHandlers : handlers)
                    .computeIfAbsent(listener, l -> Timer.builder("informer.handler.duration")
                            .description("Duration of handler calls")
                            .tags(tags.and("handler", l, "failed", String.valueOf(failed))).register(registry))
                    .record(took);
        }

        @Override
        public void conflated(String listener) {
            Counter.builder("informer.conflations")
                    .description("Updates merged with a later one because a handler was slow")
                    .tags(tags.and("handler", listener)).register(registry).increment();
        }

        @Override
        public void listed(Duration took, int count, boolean succeeded) {
            Timer.builder("reflector.list.duration").description("Duration of lists, all pages included")
                    .tags(tags.and("outcome", succeeded ? "success" : "failure")).register(registry).record(took);
            lists.increment();
            if (succeeded) {
                itemsPerList.record(count);
            }
        }

        @Override
        public void relisted(String cause) {
            Counter.builder("reflector.relists").description("Lists after the first, by cause")
                    .tags(tags.and("cause", cause)).register(registry).increment();
        }

        @Override
        public void watchStarted() {
            watches.increment();
        }

        @Override
        public void watchEnded(String cause, Duration lasted, long count) {
            Timer.builder("reflector.watch.duration").description("Duration of watches by the cause of their end")
                    .tags(tags.and("cause", cause)).register(registry).record(lasted);
            itemsPerWatch.record((double) count);
            if (count == 0 && lasted.toMillis() < 1000) {
                shortWatches.increment();
            }
        }

        @Override
        public void bytesRead(long count) {
            bytes.increment((double) count);
        }

        @Override
        public void events(int count) {
            events.increment(count);
        }

        @Override
        public void decodeErrors(int count) {
            decodeErrors.increment(count);
        }
    }
}
