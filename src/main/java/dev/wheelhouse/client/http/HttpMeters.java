package dev.wheelhouse.client.http;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.meters.SharedGauge;
import dev.wheelhouse.runtime.Clock;

/**
 * The meters of connections to API servers, under client-go's names (upstream: client-go {@code
 * tools/metrics/metrics.go}, {@code component-base/metrics/prometheus/restclient/metrics.go}). Thread safe.
 */
public final class HttpMeters {
    private static final Duration[] LATENCIES = Meters.seconds(0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60);
    private static final double[] SIZES = {64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216};
    /** Ten minutes, half an hour, 1 and 4 hours, a day, a week, 1, 3 and 6 months, 1 and 4 years. */
    private static final double[] AGES = {600, 1800, 3600, 14400, 86400, 604800, 2592000, 7776000, 15552000, 31104000,
            124416000};

    private final MeterRegistry registry;
    private final Meter.MeterProvider<Counter> retries;
    private final Meter.MeterProvider<Counter> pluginCalls;
    private final Meter.MeterProvider<Counter> authorityReads;
    private final Clock clock;
    private final DistributionSummary rotationAge;
    private volatile @Nullable Instant expires;
    private final ConcurrentHashMap<Target, Requests> requests = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Attempt, Counter> attempts = new ConcurrentHashMap<>();

    private record Target(String verb, String host) {}

    private record Attempt(String code, String method, String host) {}

    private record Requests(Timer limited, Timer duration, DistributionSummary sent, DistributionSummary received) {}

    /** Registers the series that client-go has before the first request. */
    public HttpMeters(MeterRegistry registry, Clock clock) {
        this.registry = registry;
        this.clock = clock;
        retries = counter("rest.client.request.retries", "Repeated requests by status code, verb and host");
        pluginCalls = counter("rest.client.exec.plugin.call", "Runs of credential plugins by exit code and outcome");
        authorityReads = counter("rest.client.transport.ca.reload",
                "Reads of the file of certificate authorities after the first, by result and reason");
        SharedGauge.join(registry, SharedGauge.id("rest.client.exec.plugin.ttl.seconds",
                "Time until the client certificate of the credential plugin expires; infinite without one",
                Tags.empty()), SharedGauge.Together.LEAST, this, HttpMeters::certificateTtl);
        rotationAge = DistributionSummary.builder("rest.client.exec.plugin.certificate.rotation.age").description(
                "Age in seconds of client certificates of credential plugins at their rotation")
                .serviceLevelObjectives(AGES).register(registry);
        SharedGauge.join(registry, SharedGauge.id("rest.client.transport.cache.entries",
                "Connections that are shared by configuration; none, as each one is made once", Tags.empty()),
                SharedGauge.Together.SUM, this, meters -> 0);
    }

    private double certificateTtl() {
        Instant end = expires;
        return end == null ? Double.POSITIVE_INFINITY : Duration.between(clock.now(), end).toMillis() / 1000.0;
    }

    private Meter.MeterProvider<Counter> counter(String name, String description) {
        return Counter.builder(name).description(description).withRegistry(registry);
    }

    /**
     * A credential plugin gave a client certificate that differs from its last one.
     *
     * @param end the end of its validity
     * @param lastBegan the begin of the validity of the last one; null if this is the first
     */
    void pluginCertificate(Instant end, @Nullable Instant lastBegan) {
        expires = end;
        if (lastBegan != null) {
            rotationAge.record(Duration.between(lastBegan, clock.now()).toSeconds());
        }
    }

    /**
     * The file of the certificate authorities was read again.
     *
     * @param result {@code success} or {@code failure}; after a failure the old authorities stay in use
     * @param reason {@code unchanged} or {@code updated}; {@code read_error}, {@code empty} or {@code ca_parse_error}
     */
    void authorityRead(String result, String reason) {
        authorityReads.withTags("result", result, "reason", reason).increment();
    }

    /** A connection to an API server was set up. */
    void connected() {
        counter("rest.client.transport.create.calls", "Connections that were set up, by result")
                .withTag("result", "uncacheable").increment();
    }

    /**
     * One attempt of a request was answered or failed.
     *
     * @param code the status, or {@code <error>} if there is no answer
     * @param again whether the attempt repeats one that was refused because of an old token or a busy server
     */
    public void attempted(String method, String host, String code, boolean again) {
        attempts.computeIfAbsent(new Attempt(code, method, host),
                attempt -> Counter.builder("rest.client.requests")
                        .description("HTTP requests by status code, method and host")
                        .tags("code", code, "method", method, "host", host).register(registry))
                .increment();
        if (again) {
            retries.withTags("code", code, "verb", method, "host", host).increment();
        }
    }

    private Requests of(String method, String host) {
        return requests.computeIfAbsent(new Target(method, host), this::register);
    }

    private Requests register(Target target) {
        Tags tags = Tags.of("verb", target.verb, "host", target.host);
        return new Requests(
                latencies("rest.client.rate.limiter.duration",
                        "Time that the client delays requests by verb and host; 0, as it has no rate limit", tags),
                latencies("rest.client.request.duration", "Duration of requests by verb and host", tags),
                sizes("rest.client.request.size", "Size of request bodies by verb and host", tags),
                sizes("rest.client.response.size", "Size of response bodies by verb and host", tags));
    }

    private Timer latencies(String name, String description, Tags tags) {
        return Timer.builder(name).description(description).tags(tags).serviceLevelObjectives(LATENCIES)
                .register(registry);
    }

    private DistributionSummary sizes(String name, String description, Tags tags) {
        return DistributionSummary.builder(name).baseUnit("bytes").description(description).tags(tags)
                .serviceLevelObjectives(SIZES).register(registry);
    }

    /** A request was sent, and the size of its body is known; 0 without a body. */
    public void sent(String method, String host, long bytes) {
        Requests of = of(method, host);
        of.limited.record(Duration.ZERO);
        of.sent.record((double) bytes);
    }

    /**
     * A request ended and its answer was read, or it failed. Watches are not among these requests.
     *
     * @param bytes the size of the answer's body; negative if there was no answer
     */
    public void ended(String method, String host, long nanos, long bytes) {
        Requests of = of(method, host);
        of.duration.record(nanos, TimeUnit.NANOSECONDS);
        if (bytes >= 0) {
            of.received.record((double) bytes);
        }
    }

    /**
     * A credential plugin was run.
     *
     * @param code the plugin's exit code; 0 only if the call succeeded
     * @param status {@code no_error}, {@code plugin_execution_error}, {@code plugin_not_found_error} or
     *     {@code client_internal_error}
     */
    void pluginCalled(int code, String status) {
        pluginCalls.withTags("code", String.valueOf(code), "call_status", status).increment();
    }
}
