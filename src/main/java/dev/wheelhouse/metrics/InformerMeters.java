package dev.wheelhouse.metrics;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;

import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.informer.InformerMetrics;
import dev.wheelhouse.informer.InformerState;
import dev.wheelhouse.runtime.Clock;

/**
 * The informers' metrics in Micrometer, under client-go's names where it has such metrics (upstream: {@code
 * component-base/metrics/prometheus/clientgo/fifo/metrics.go}, client-go {@code tools/cache/reflector_metrics.go}).
 * Informers with equal tags share their series. Informers whose caches have never held an object share one group of
 * series, with {@code *} for all their tags, so that the many unused types of a cluster cost nothing.
 */
final class InformerMeters implements InformerMetrics.Provider {
    private static final Tags IDLE = tags("*", "*", "*", "*", "*", "*");

    private final MeterRegistry registry;
    private final Clock clock;
    private final ConcurrentHashMap<Tags, InformerSeries> groups = new ConcurrentHashMap<>();

    InformerMeters(MeterRegistry registry, Clock clock) {
        this.registry = registry;
        this.clock = clock;
    }

    private static Tags tags(String group, String version, String resource, String content, String namespace,
            String selector) {
        return Tags.of("name", "wheelhouse", "group", group, "version", version, "resource", resource, "content",
                content, "namespace", namespace, "selector", selector);
    }

    @Override
    public InformerMetrics forInformer(ResourceType type, Class<?> model, String namespace, String selector) {
        return new Meters(tags(type.group(), type.version(), type.plural(),
                model == PartialObjectMetadata.class ? "metadata" : "objects", namespace.isEmpty() ? "*" : namespace,
                selector));
    }

    private InformerSeries join(Tags tags, Supplier<InformerState> state) {
        return groups.compute(tags, (key, known) -> {
            InformerSeries group = known == null ? new InformerSeries(registry, clock, key) : known;
            group.add(state);
            return group;
        });
    }

    private void leave(Tags tags, Supplier<InformerState> state) {
        groups.computeIfPresent(tags, (key, group) -> group.removeAndCheckEmpty(state) ? null : group);
    }

    /** The metrics of one informer. */
    private final class Meters implements InformerMetrics {
        private final Tags own;
        private volatile @Nullable Member member;

        /** The series that the informer counts in now. */
        private record Member(Tags tags, InformerSeries series, Supplier<InformerState> state) {}

        Meters(Tags own) {
            this.own = own;
        }

        private InformerSeries series() {
            Member now = member;
            if (now == null) {
                throw new IllegalStateException("the informer counted something before it was made, or after its end");
            }
            return now.series();
        }

        @Override
        public synchronized void made(Supplier<InformerState> state) {
            member = new Member(IDLE, join(IDLE, state), state);
        }

        @Override
        public synchronized void stopped() {
            Member now = member;
            if (now != null) {
                leave(now.tags(), now.state());
            }
        }

        /** Gives the informer series of its own from now on. */
        private InformerSeries busy() {
            Member now = member;
            return now != null && now.tags() == IDLE ? leaveIdle() : series();
        }

        private synchronized InformerSeries leaveIdle() {
            Member now = member;
            if (now != null && now.tags() == IDLE) {
                leave(IDLE, now.state());
                member = new Member(own, join(own, now.state()), now.state());
            }
            return series();
        }

        @Override
        public void synced(Duration sinceStart) {
            series().syncs.record(sinceStart);
        }

        @Override
        public void processed(Duration took) {
            series().processing.record(took);
        }

        @Override
        public void handled(Duration took, boolean failed) {
            InformerSeries series = busy();
            (failed ? series.handlers(true) : series.handlers).record(took);
        }

        @Override
        public void conflated() {
            series().conflated();
        }

        @Override
        public void listed(Duration took, int count, boolean succeeded) {
            InformerSeries series = count > 0 ? busy() : series();
            series.lists.increment();
            (succeeded ? series.listDuration : series.listDuration(false)).record(took);
            if (succeeded) {
                series.itemsPerList.record(count);
            }
        }

        @Override
        public void relisted(String cause) {
            series().relisted(cause);
        }

        @Override
        public void watchStarted() {
            series().watches.increment();
        }

        @Override
        public void watchEnded(String cause, Duration lasted, long count) {
            series().watchEnded(cause, lasted, count);
        }

        @Override
        public void bytesRead(long count) {
            series().bytes.increment((double) count);
        }

        @Override
        public void events(int count) {
            series().events.increment(count);
        }

        @Override
        public void decodeErrors(int count) {
            series().decodeErrors(count);
        }
    }
}
