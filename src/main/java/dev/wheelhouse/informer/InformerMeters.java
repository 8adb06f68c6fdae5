package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

import dev.wheelhouse.client.ListerWatcher;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.meters.SharedGauge;
import dev.wheelhouse.meters.SharedGauge.Membership;
import dev.wheelhouse.meters.SharedGauge.Together;
import dev.wheelhouse.runtime.Clock;

/**
 * The meters of one informer, under client-go's names where it has such metrics (upstream: {@code
 * component-base/metrics/prometheus/clientgo/fifo/metrics.go}, client-go {@code tools/cache/reflector_metrics.go}).
 * Informers with equal tags share their series. Informers whose caches have never held an object share one group of
 * series, with {@code *} for all their tags, so that the many unused types of a cluster cost nothing. Thread safe.
 */
final class InformerMeters {
    private static final Tags IDLE = tags("*", "*", "*", "*", "*", "*");
    /** The number of digits of a resource version that a double represents exactly. */
    private static final int DIGITS = 15;

    private final MeterRegistry registry;
    private final Clock clock;
    private final Tags own;
    private Supplier<InformerState> state = () -> {
        throw new IllegalStateException("the informer is not complete");
    };
    private List<Membership> gauges = List.of();
    private boolean stopped;
    /** The series that the informer counts in now. */
    private volatile Series series;

    /** @param own the tags of the series that the informer gets with its first object */
    InformerMeters(MeterRegistry registry, Clock clock, Tags own) {
        this.registry = registry;
        this.clock = clock;
        this.own = own;
        this.series = new Series(IDLE);
    }

    static Tags tags(ListerWatcher<?> source, boolean metadataOnly) {
        return tags(source.type().group(), source.type().version(), source.type().plural(),
                metadataOnly ? "metadata" : "objects",
                source.namespace().isEmpty() ? "*" : source.namespace(), source.selector());
    }

    private static Tags tags(String group, String version, String resource, String content, String namespace,
            String selector) {
        return Tags.of("name", "wheelhouse", "group", group, "version", version, "resource", resource, "content",
                content, "namespace", namespace, "selector", selector);
    }

    /** Series of one set of tags. The first event of a rare kind registers its series. */
    private final class Series {
        final Tags tags;
        final Counter lists;
        final Timer listDuration;
        final DistributionSummary itemsPerList;
        final Counter watches;
        final DistributionSummary itemsPerWatch;
        final Counter bytes;
        final Counter events;
        final Timer syncs;
        final Timer processing;
        final Timer handlers;

        Series(Tags tags) {
            this.tags = tags;
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
                    .serviceLevelObjectives(
                            Meters.seconds(0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10))
                    .register(registry);
            handlers = handlers(false);
        }

        Counter counter(String name, String help, String... more) {
            return Counter.builder(name).description(help).tags(tags.and(more)).register(registry);
        }

        private DistributionSummary summary(String name, String help) {
            return DistributionSummary.builder(name).description(help).tags(tags).register(registry);
        }

        Timer handlers(boolean failed) {
            return Timer.builder("informer.handler.duration").description("Duration of handler calls")
                    .tags(tags.and("failed", String.valueOf(failed))).register(registry);
        }

        Timer listDuration(boolean succeeded) {
            return Timer.builder("reflector.list.duration").description("Duration of lists, all pages included")
                    .tags(tags.and("outcome", succeeded ? "success" : "failure")).register(registry);
        }
    }

    /**
     * The informer is complete.
     * @param current supplies its current state; any thread may call it at any time
     */
    synchronized void made(Supplier<InformerState> current) {
        state = current;
        joinGauges();
    }

    private void joinGauges() {
        gauges = List.of(
                gauge("informer.objects", "Objects in the cache", Together.SUM,
                        meters -> meters.state.get().objects()),
                gauge("informer.synced", "1 once the cache has held the whole initial list", Together.LEAST,
                        meters -> meters.state.get().synced() ? 1 : 0),
                gauge("informer.queued.items", "Changes that were read and are not in the cache yet", Together.SUM,
                        meters -> meters.state.get().counts().queued()),
                gauge("informer.unreadable.objects",
                        "Objects whose last state could not be decoded, so that the cache lacks it", Together.SUM,
                        meters -> meters.state.get().counts().unreadable().size()),
                gauge("informer.store.resource.version",
                        "The 15 least significant digits of the resource version that the cache has reached",
                        Together.MOST_KNOWN, meters -> digits(meters.state.get().resourceVersion())),
                gauge("informer.pending", "Notifications that wait for handlers", Together.SUM,
                        meters -> meters.state.get().handlers().stream().mapToInt(InformerState.Handler::pending)
                                .sum()),
                gauge("informer.lag",
                        "Time since the last message of the server, bookmarks included: the cache lags by no more",
                        Together.MOST_KNOWN, InformerMeters::lag));
    }

    private Membership gauge(String name, String help, Together together, ToDoubleFunction<InformerMeters> value) {
        return SharedGauge.join(registry,
                new Meter.Id(name, series.tags, name.equals("informer.lag") ? "seconds" : null,
                        help, Meter.Type.GAUGE),
                together, this, value);
    }

    private double lag() {
        Duration lag = state.get().lag(clock.now());
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

    /** The informer was stopped for good. Its series go with the last informer that shares them. */
    synchronized void stopped() {
        stopped = true;
        boolean last = false;
        for (Membership gauge : gauges) {
            last |= gauge.remove();
        }
        if (last && series.tags != IDLE) {
            List<Tag> mine = series.tags.stream().toList();
            registry.getMeters().stream().map(Meter::getId)
                    .filter(id -> id.getName().startsWith("informer.") || id.getName().startsWith("reflector."))
                    .filter(id -> id.getTags().containsAll(mine)).forEach(registry::remove);
        }
    }

    /** Gives the informer series of its own from now on. */
    private Series busy() {
        Series now = series;
        return now.tags == IDLE ? leaveIdle() : now;
    }

    private synchronized Series leaveIdle() {
        if (series.tags == IDLE && !stopped) {
            gauges.forEach(Membership::remove);
            series = new Series(own);
            joinGauges();
        }
        return series;
    }

    /** The cache holds the whole initial list for the first time. */
    void synced(long nanos) {
        series.syncs.record(nanos, TimeUnit.NANOSECONDS);
    }

    /** A batch from the DeltaFifo was applied to the cache and passed to the listeners. */
    void processed(long nanos) {
        series.processing.record(nanos, TimeUnit.NANOSECONDS);
    }

    /**
     * A handler was called.
     * @param failed whether the handler threw
     */
    void handled(long nanos, boolean failed) {
        Series busy = busy();
        (failed ? busy.handlers(true) : busy.handlers).record(nanos, TimeUnit.NANOSECONDS);
    }

    /** An update was merged with a later one, because the listener's buffer was over its bound. */
    void conflated() {
        series.counter("informer.conflations", "Updates merged with a later one because a handler was slow")
                .increment();
    }

    /**
     * A list ended, with all its pages.
     * @param items the number of objects; 0 if the list failed
     */
    void listed(Duration took, int items, boolean succeeded) {
        Series now = items > 0 ? busy() : series;
        now.lists.increment();
        (succeeded ? now.listDuration : now.listDuration(false)).record(took);
        if (succeeded) {
            now.itemsPerList.record(items);
        }
    }

    /**
     * The collection is read again from the start.
     * @param cause {@code expired}, {@code too large resource version}, {@code refused}, {@code not found}, or a
     *     clause: the server does not know the last version, the last list was empty, or the watch brought an
     *     undecodable object
     */
    void relisted(String cause) {
        series.counter("reflector.relists", "Lists after the first, by cause", "cause", cause).increment();
    }

    /** A watch was opened. */
    void watchStarted() {
        series.watches.increment();
    }

    /**
     * A watch ended.
     *
     * @param cause {@code ended}, {@code silence}, {@code expired}, {@code throttled}, {@code error}; or, if the
     *     collection is listed again as a precaution, {@code undecodable} or {@code doubt} (the last list was empty)
     * @param count the events that it delivered
     */
    void watchEnded(String cause, Duration lasted, long count) {
        Series now = series;
        Timer.builder("reflector.watch.duration").description("Duration of watches by the cause of their end")
                .tags(now.tags.and("cause", cause)).register(registry).record(lasted);
        now.itemsPerWatch.record((double) count);
        if (count == 0 && lasted.toMillis() < 1000) {
            now.counter("reflector.short.watches", "Watches that ended within a second and without an event")
                    .increment();
        }
    }

    /** Bytes were read, by a list or a watch. */
    void bytesRead(long count) {
        series.bytes.increment((double) count);
    }

    /** Events were read from a watch in one step, bookmarks included. */
    void events(int count) {
        series.events.increment(count);
    }

    /** Objects were skipped because they could not be decoded. */
    void decodeErrors(int count) {
        series.counter("reflector.decode.errors", "Objects skipped because they could not be decoded")
                .increment(count);
    }
}
