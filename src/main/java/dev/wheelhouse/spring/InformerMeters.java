package dev.wheelhouse.spring;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.informer.InformerMetrics;

/** The informers' metrics in Micrometer, named as client-go's reflector metrics where it has them. */
final class InformerMeters implements InformerMetrics.Provider {
    private final MeterRegistry registry;

    InformerMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public InformerMetrics forInformer(ResourceType type, Class<?> model, String namespace) {
        return new Meters(registry,
                Tags.of("resource", type.groupResource(), "model", model.getSimpleName(), "namespace",
                        namespace.isEmpty() ? "*" : namespace));
    }

    private static final class Meters implements InformerMetrics {
        private final MeterRegistry registry;
        private final Tags tags;
        private final AtomicInteger objects = new AtomicInteger();
        private final AtomicInteger synced = new AtomicInteger();
        private final ConcurrentHashMap<String, AtomicInteger> pending = new ConcurrentHashMap<>();
        private final ConcurrentHashMap<String, Timer> handlers = new ConcurrentHashMap<>();
        private final Counter watches;
        private final Counter bytes;
        private final Counter events;
        private final Counter decodeErrors;
        private final Counter items;

        Meters(MeterRegistry registry, Tags tags) {
            this.registry = registry;
            this.tags = tags;
            Gauge.builder("informer.objects", objects, AtomicInteger::get).description("Objects in the cache")
                    .tags(tags)
                    .register(registry);
            Gauge.builder("informer.synced", synced, AtomicInteger::get)
                    .description("1 once the cache has held the whole initial list").tags(tags).register(registry);
            watches = counter("reflector.watches", "Watches that were opened");
            bytes = counter("reflector.bytes", "Bytes read from the API server");
            events = counter("reflector.events", "Events handed on to the cache");
            decodeErrors = counter("reflector.decode.errors", "Objects skipped because they could not be decoded");
            items = counter("reflector.list.items", "Objects that lists brought");
        }

        private Counter counter(String name, String description) {
            return Counter.builder(name).description(description).tags(tags).register(registry);
        }

        @Override
        public void synced(Duration sinceStart) {
            synced.set(1);
        }

        @Override
        public void objects(int count) {
            objects.set(count);
        }

        @Override
        public void handled(String listener, Duration took, boolean failed) {
            handlers.computeIfAbsent(listener + (failed ? "!" : ""), l -> Timer.builder("informer.handler.duration")
                    .description("How long handlers take")
                    .tags(tags.and("handler", listener, "failed", String.valueOf(failed)))
                    .register(registry)).record(took);
        }

        @Override
        public void conflated(String listener) {
            Counter.builder("informer.conflations")
                    .description("Updates merged with a later one because a handler was slow")
                    .tags(tags.and("handler", listener)).register(registry).increment();
        }

        @Override
        public void pending(String listener, int count) {
            pending.computeIfAbsent(listener, l -> {
                AtomicInteger value = new AtomicInteger();
                Gauge.builder("informer.pending", value, AtomicInteger::get)
                        .description("Notifications that wait for a handler")
                        .tags(tags.and("handler", l)).register(registry);
                return value;
            }).set(count);
        }

        @Override
        public void listed(Duration took, int count, boolean succeeded) {
            Timer.builder("reflector.list.duration").description("How long lists take, all pages")
                    .tags(tags.and("outcome", succeeded ? "success" : "failure")).register(registry).record(took);
            items.increment(count);
        }

        @Override
        public void relisted(String cause) {
            Counter.builder("reflector.relists").description("Lists after the first, by cause")
                    .tags(tags.and("cause", cause))
                    .register(registry).increment();
        }

        @Override
        public void watchStarted() {
            watches.increment();
        }

        @Override
        public void watchEnded(String cause, Duration lasted) {
            Timer.builder("reflector.watch.duration").description("How long watches last, by the cause of their end")
                    .tags(tags.and("cause", cause)).register(registry).record(lasted);
        }

        @Override
        public void bytesRead(long count) {
            bytes.increment(count);
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
