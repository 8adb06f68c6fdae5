package dev.wheelhouse.apiserver;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;

import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Selection;

/**
 * The meters of the store, under upstream's names: stored objects and running watches (upstream:
 * {@code apiserver/pkg/endpoints/metrics}). Thread safe.
 */
final class StorageMeters {
    private final ObjectStore store;
    private final ResourceRegistry resources;
    private final MultiGauge objects;

    StorageMeters(ObjectStore store, ResourceRegistry resources, MeterRegistry registry) {
        this.store = store;
        this.resources = resources;
        this.objects = MultiGauge.builder("apiserver.storage.objects")
                .description("Objects that are stored, by resource.").register(registry);
        Gauge.builder("apiserver.registered.watchers", store, ObjectStore::watchers).description("Watches that run.")
                .register(registry);
    }

    /** Counts the objects anew. Custom resources come and go. */
    synchronized void update() {
        objects.register(resources.all().stream().map(info -> Target.stored(info.type())).distinct()
                .map(resource -> Row.of(Tags.of("resource", resource),
                        store.snapshot(resource).select(Selection.all()).size()))
                .toList(), true);
    }
}
