package dev.wheelhouse.apiserver;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.facts.ResourceInfo;

/**
 * Counts requests under upstream's names and labels, in the text format of Prometheus (upstream:
 * {@code apiserver/pkg/endpoints/metrics}). Labels have only values of served resources and of the verbs that these
 * have. All other requests, and all that are refused by their heads, have empty labels, so strangers add no series.
 * Thread safe.
 */
final class RequestMetrics {
    private static final double[] BUCKETS = {0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6,
            8, 10, 15, 20, 30, 45, 60};
    private static final double NANOS = Duration.ofSeconds(1).toNanos();

    private final ResourceRegistry registry;
    private final Map<Series, LongAdder> requests = new ConcurrentHashMap<>();
    private final Map<Labels, Times> durations = new ConcurrentHashMap<>();
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicInteger watches = new AtomicInteger();
    private final LongAdder rejected = new LongAdder();

    RequestMetrics(ResourceRegistry registry) {
        this.registry = registry;
    }

    private record Labels(boolean dryRun, String group, String resource, String scope, String subresource, String verb,
            String version) {
        String text() {
            return "component=\"apiserver\",dry_run=\"" + (dryRun ? "All" : "") + "\",group=\"" + group
                    + "\",resource=\"" + resource + "\",scope=\"" + scope + "\",subresource=\"" + subresource
                    + "\",verb=\"" + verb + "\",version=\"" + version + "\"";
        }
    }

    private record Series(int code, Labels labels) {
        String text() {
            return "code=\"" + code + "\"," + labels.text();
        }
    }

    private static final class Times {
        private final LongAdder[] counts = new LongAdder[BUCKETS.length + 1];
        private final LongAdder nanos = new LongAdder();

        Times() {
            Arrays.setAll(counts, i -> new LongAdder());
        }

        void add(long took) {
            int at = Arrays.binarySearch(BUCKETS, took / NANOS);
            counts[at < 0 ? -at - 1 : at].increment();
            nanos.add(took);
        }
    }

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
        @Nullable
        ResourceInfo info = about.isResource()
                ? registry.find(about.group(), about.version(), about.resource())
                : null;
        boolean known = info != null && isServed(info, about);
        String verb = verb(about.verb(), apply);
        Labels labels = known
                ? new Labels(dryRun, about.group(), about.resource(), scope(about), about.subresource(), verb,
                        about.version())
                : new Labels(dryRun, "", "", "", "", verb, "");
        requests.computeIfAbsent(new Series(code, labels), key -> new LongAdder()).increment();
        if (!about.verb().equals("watch")) {
            durations.computeIfAbsent(labels, key -> new Times()).add(nanos);
        }
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

    /** All metrics, in version 0.0.4 of the text format. */
    String text() {
        StringBuilder out = new StringBuilder();
        head(out, "apiserver_current_inflight_requests", "gauge", "Requests that are being answered, without watches.");
        out.append("apiserver_current_inflight_requests ").append(inFlight.get()).append('\n');
        head(out, "apiserver_longrunning_requests", "gauge", "Watches that are open.");
        out.append("apiserver_longrunning_requests{verb=\"WATCH\"} ").append(watches.get()).append('\n');
        head(out, "apiserver_rejected_requests_total", "counter",
                "Requests that were answered by 429 because there were too many at a time.");
        out.append("apiserver_rejected_requests_total ").append(rejected.sum()).append('\n');
        head(out, "apiserver_request_total", "counter", "Requests that were answered.");
        sorted(requests, Series::text).forEach((labels, count) -> out.append("apiserver_request_total{").append(labels)
                .append("} ").append(count.sum()).append('\n'));
        head(out, "apiserver_request_duration_seconds", "histogram", "How long requests took, without watches.");
        sorted(durations, Labels::text).forEach((labels, times) -> write(out, labels, times));
        return out.toString();
    }

    private static <K, V> Map<String, V> sorted(Map<K, V> values, Function<K, String> text) {
        Map<String, V> sorted = new TreeMap<>();
        values.forEach((key, value) -> sorted.put(text.apply(key), value));
        return sorted;
    }

    private static void write(StringBuilder out, String labels, Times times) {
        long sum = 0;
        for (int i = 0; i <= BUCKETS.length; i++) {
            sum += times.counts[i].sum();
            out.append("apiserver_request_duration_seconds_bucket{").append(labels).append(",le=\"")
                    .append(i == BUCKETS.length ? "+Inf" : number(BUCKETS[i])).append("\"} ").append(sum)
                    .append('\n');
        }
        out.append("apiserver_request_duration_seconds_sum{").append(labels).append("} ")
                .append(times.nanos.sum() / NANOS).append('\n');
        out.append("apiserver_request_duration_seconds_count{").append(labels).append("} ").append(sum).append('\n');
    }

    private static String number(double bound) {
        return bound == Math.rint(bound) ? String.valueOf((long) bound) : String.valueOf(bound);
    }

    static void head(StringBuilder out, String name, String type, String help) {
        out.append("# HELP ").append(name).append(' ').append(help).append("\n# TYPE ").append(name).append(' ')
                .append(type).append('\n');
    }
}
