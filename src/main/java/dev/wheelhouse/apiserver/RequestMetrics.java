package dev.wheelhouse.apiserver;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.facts.ResourceInfo;
import dev.wheelhouse.meters.Meters;

/**
 * The meters of requests, under upstream's names and labels (upstream: {@code apiserver/pkg/endpoints/metrics}). Labels
 * have only values of served resources and of the verbs that these have. All other requests, and all that are refused
 * by their heads, have empty labels, so strangers add no series. Thread safe.
 */
final class RequestMetrics {
    private static final Duration[] BUCKETS = Meters.seconds(0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1,
            1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60);

    private final ResourceRegistry resources;
    private final MeterRegistry registry;
    private final Map<Series, Counter> requests = new ConcurrentHashMap<>();
    private final Map<Labels, Timer> durations = new ConcurrentHashMap<>();
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicInteger watches = new AtomicInteger();
    private final Counter rejected;

    RequestMetrics(ResourceRegistry resources, MeterRegistry registry) {
        this.resources = resources;
        this.registry = registry;
        Gauge.builder("apiserver.current.inflight.requests", inFlight, AtomicInteger::get)
                .description("Requests that are being answered, without watches.").register(registry);
        Gauge.builder("apiserver.longrunning.requests", watches, AtomicInteger::get)
                .description("Watches that are open.").tag("verb", "WATCH").register(registry);
        rejected = Counter.builder("apiserver.rejected.requests")
                .description("Requests that were answered by 429 because there were too many at a time.")
                .register(registry);
    }

    private record Labels(boolean dryRun, String group, String resource, String scope, String subresource, String verb,
            String version) {
        Tags tags() {
            return Tags.of("component", "apiserver", "dry_run", dryRun ? "All" : "", "group", group, "resource",
                    resource, "scope", scope, "subresource", subresource, "verb", verb, "version", version);
        }
    }

    private record Series(int code, Labels labels) {}

    /** The number of requests that are being answered, without watches. */
    AtomicInteger inFlight() {
        return inFlight;
    }

    /** A request was refused by its head, before it is known to be about a resource, as by upstream's filters. */
    void refused(String method, int code, long nanos) {
        answered(RequestInfo.ofPath(method.toLowerCase(Locale.ROOT), ""), false, false, code, nanos);
    }

    /** The number of open watches. */
    AtomicInteger watches() {
        return watches;
    }

    /** A request was refused because there were too many. */
    void rejected() {
        rejected.increment();
    }

    /**
     * A request was answered.
     *
     * @param apply whether it was a server-side apply
     * @param nanos its duration; not counted for a watch
     */
    void answered(RequestInfo about, boolean apply, boolean dryRun, int code, long nanos) {
        ResourceInfo info = about.isResource()
                ? resources.find(about.group(), about.version(), about.resource())
                : null;
        boolean known = info != null && isServed(info, about);
        String verb = verb(about.verb(), apply);
        Labels labels = known
                ? new Labels(dryRun, about.group(), about.resource(), scope(about), about.subresource(), verb,
                        about.version())
                : new Labels(dryRun, "", "", "", "", verb, "");
        requests.computeIfAbsent(new Series(code, labels), this::counter).increment();
        if (!about.verb().equals("watch")) {
            durations.computeIfAbsent(labels, this::timer).record(nanos, TimeUnit.NANOSECONDS);
        }
    }

    private Counter counter(Series series) {
        return Counter.builder("apiserver.request").description("Requests that were answered.")
                .tags(series.labels.tags()).tag("code", String.valueOf(series.code)).register(registry);
    }

    private Timer timer(Labels labels) {
        return Timer.builder("apiserver.request.duration").description("How long requests took, without watches.")
                .tags(labels.tags()).serviceLevelObjectives(BUCKETS).register(registry);
    }

    private static boolean isServed(ResourceInfo info, RequestInfo about) {
        if (about.subresource().isEmpty()) {
            return info.verbs().contains(about.verb());
        }
        ResourceInfo.Subresource subresource = info.subresource(about.subresource());
        return subresource != null && subresource.verbs().contains(about.verb());
    }

    private static String scope(RequestInfo about) {
        return !about.name().isEmpty() ? "resource" : about.namespace().isEmpty() ? "cluster" : "namespace";
    }

    private static String verb(String verb, boolean apply) {
        return switch (verb) {
            case "get", "list", "watch", "delete", "deletecollection", "post", "put", "head" ->
                verb.toUpperCase(Locale.ROOT);
            case "create" -> "POST";
            case "update" -> "PUT";
            case "patch" -> apply ? "APPLY" : "PATCH";
            default -> "OTHER";
        };
    }
}
