package dev.wheelhouse.apiserver.rest;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

import dev.wheelhouse.apiserver.schema.ResourceRegistry;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Selection;

/**
 * What {@code /metrics} shows, in the names of upstream's metrics: the requests for resources that were answered, the objects that
 * are stored, the watches that run (upstream: {@code apiserver/pkg/endpoints/metrics}). Safe for use by many threads.
 */
final class ServerMetrics {
    private final ObjectStore store;
    private final ResourceRegistry registry;
    private final Map<Series, LongAdder> requests = new ConcurrentHashMap<>();

    ServerMetrics(ObjectStore store, ResourceRegistry registry) {
        this.store = store;
        this.registry = registry;
    }

    private record Series(String verb, String group, String version, String resource, String subresource, String scope,
            int code) {
        String labels() {
            return "{code=\"" + code + "\",component=\"apiserver\",group=\"" + group + "\",resource=\"" + resource
                    + "\",scope=\"" + scope + "\",subresource=\"" + subresource + "\",verb=\"" + verb
                    + "\",version=\"" + version + "\"}";
        }
    }

    void answered(Target target, ApiRequest request, int code) {
        String scope = !target.name().isEmpty()
                ? "resource"
                : target.namespace().isEmpty() ? "cluster" : "namespace";
        // What follows a proxy's name is the client's own choice, and would make a series of each path.
        String subresource = target.subresource().startsWith("proxy") ? "proxy" : target.subresource();
        requests.computeIfAbsent(new Series(verb(target, request), target.type().group(), target.type().version(),
                target.type().plural(), subresource, scope, code), s -> new LongAdder()).increment();
    }

    private static String verb(Target target, ApiRequest request) {
        boolean collection = target.name().isEmpty();
        return switch (request.method()) {
            case "GET", "HEAD" -> target.watchPath() || collection && request.query().flag("watch")
                    ? "WATCH"
                    : collection ? "LIST" : "GET";
            case "DELETE" -> collection ? "DELETECOLLECTION" : "DELETE";
            case "POST", "PUT", "PATCH" -> request.method();
            default -> "other";
        };
    }

    /** The text format of Prometheus. */
    ApiResponse text() {
        StringBuilder out = new StringBuilder();
        family(out, "apiserver_request_total", "counter", "Requests for resources that were answered.");
        TreeSet<String> lines = new TreeSet<>();
        requests.forEach((series, count) -> lines.add("apiserver_request_total" + series.labels() + " " + count));
        lines.forEach(line -> out.append(line).append('\n'));
        family(out, "apiserver_storage_objects", "gauge", "Objects that are stored, by resource.");
        TreeSet<String> resources = new TreeSet<>();
        registry.all().forEach(info -> resources.add(Target.stored(info.type())));
        for (String resource : resources) {
            int objects = store.snapshot(resource).select(Selection.all()).size();
            out.append("apiserver_storage_objects{resource=\"").append(resource).append("\"} ").append(objects)
                    .append('\n');
        }
        family(out, "apiserver_registered_watchers", "gauge", "Watches that run.");
        out.append("apiserver_registered_watchers ").append(store.watchers()).append('\n');
        return new ApiResponse.Content(200, "text/plain; version=0.0.4; charset=utf-8",
                out.toString().getBytes(StandardCharsets.UTF_8), List.of(), null);
    }

    private static void family(StringBuilder out, String name, String type, String help) {
        out.append("# HELP ").append(name).append(' ').append(help).append("\n# TYPE ").append(name).append(' ')
                .append(type).append('\n');
    }
}
