package dev.wheelhouse.apiserver.rest;

import java.util.TreeSet;

import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Selection;

/**
 * The part of {@code /metrics} about the store, under upstream's names: stored objects and running watches (upstream:
 * {@code apiserver/pkg/endpoints/metrics}). Safe for use by many threads.
 */
record StorageMetrics(ObjectStore store, ResourceRegistry registry) {
    /** In Prometheus' text format. */
    String text() {
        StringBuilder out = new StringBuilder();
        family(out, "apiserver_storage_objects", "gauge", "Objects that are stored, by resource.");
        TreeSet<String> resources = new TreeSet<>();
        registry.all().forEach(info -> resources.add(Target.stored(info.type())));
        for (String resource : resources) {
            int objects = store.snapshot(resource).select(Selection.all()).size();
            out.append("apiserver_storage_objects{resource=\"").append(resource).append("\"} ").append(objects)
                    .append('\n');
        }
        family(out, "apiserver_registered_watchers", "gauge", "Watches that run.");
        return out.append("apiserver_registered_watchers ").append(store.watchers()).append('\n').toString();
    }

    private static void family(StringBuilder out, String name, String type, String help) {
        out.append("# HELP ").append(name).append(' ').append(help).append("\n# TYPE ").append(name).append(' ')
                .append(type).append('\n');
    }
}
