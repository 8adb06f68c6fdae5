package dev.wheelhouse.client.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.meters.Counts;
import dev.wheelhouse.runtime.Clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The requests to an API server, counted as client-go counts them. */
class CountedRequestsTest {
    private static final String OBJECT = "{\"metadata\":{\"name\":\"a\",\"namespace\":\"default\"}}";

    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final RawServer server = new RawServer(RawServer.always(200, OBJECT));
    private final String host = server.url().replace("http://", "");

    CountedRequestsTest() throws IOException {}

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    private List<String> attempts() {
        return Counts.of(registry, "rest.client.requests", "method", "code", "host");
    }

    private List<String> durations() {
        return Counts.of(registry, "rest.client.request.duration", "verb");
    }

    /** The number of bodies and the sum of their bytes. */
    private List<Integer> sizes(String of, String verb) {
        DistributionSummary sizes = registry.get("rest.client." + of + ".size").tags("verb", verb, "host", host)
                .summary();
        return List.of((int) sizes.count(), (int) sizes.totalAmount());
    }

    private HttpKubeClient client(ApiClient api) {
        CountedRequests.install(api, registry, Clock.system());
        return new HttpKubeClient(api, Clock.system());
    }

    private static ResourceClient<V1ConfigMap> configMaps(HttpKubeClient client) {
        return client.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class);
    }

    @Test
    void aReadAndAWriteAreCountedWithTheirSizes() {
        try (HttpKubeClient client = client(server.api())) {
            configMaps(client).get(ObjectKey.of("default", "a"));
            configMaps(client).create(
                    new V1ConfigMap().metadata(new V1ObjectMeta().name("a").namespace("default")));
        }

        int sent = server.requests.get(1).body().getBytes(StandardCharsets.UTF_8).length;
        assertThat(registry.get("rest.client.transport.create.calls").tag("result", "uncacheable").counter().count())
                .isEqualTo(1);
        assertThat(attempts()).containsExactly("GET 200 " + host, "POST 200 " + host);
        assertThat(sizes("request", "GET")).containsExactly(1, 0);
        assertThat(sizes("response", "GET")).containsExactly(1, OBJECT.length());
        assertThat(sizes("request", "POST")).containsExactly(1, sent);
        assertThat(sizes("response", "POST")).containsExactly(1, OBJECT.length());
        Timer durations = registry.get("rest.client.request.duration").tags("verb", "POST", "host", host).timer();
        assertThat(durations.count()).isEqualTo(1);
        assertThat(durations.totalTime(TimeUnit.NANOSECONDS)).isPositive();
    }

    @Test
    void aRefusalIsCountedByItsCodeAndABrokenConnectionAsAnError() {
        try (HttpKubeClient client = client(server.api())) {
            server.answerWith(RawServer.always(503, "{}"));
            assertThatThrownBy(() -> configMaps(client).get(ObjectKey.of("default", "a")))
                    .isInstanceOf(KubeApiException.class);
            server.answerWith((request, out) -> {});
            assertThatThrownBy(() -> configMaps(client).get(ObjectKey.of("default", "a")))
                    .isInstanceOf(KubeApiException.class);
        }

        assertThat(attempts()).containsExactly("GET 503 " + host, "GET <error> " + host);
        assertThat(sizes("request", "GET")).containsExactly(2, 0);
        assertThat(sizes("response", "GET")).as("of the answer").containsExactly(1, 2);
        assertThat(durations()).hasSize(2);
    }

    @Test
    void aWatchIsARequestWithoutADuration() throws Exception {
        server.answerWith(RawServer.always(200, "{\"type\":\"ADDED\",\"object\":" + OBJECT + "}\n"));
        try (HttpKubeClient client = client(server.api());
                var watch = configMaps(client).listerWatcher("", LabelSelector.everything(),
                        FieldSelector.everything()).watch(new WatchOptions("1", false, Duration.ofMinutes(1)))) {
            assertThat(watch.next(Duration.ofSeconds(10))).isInstanceOf(WatchEvent.Added.class);
        }

        assertThat(attempts()).containsExactly("GET 200 " + host);
        assertThat(durations()).isEmpty();
    }

    @Test
    void aRequestThatARefreshedTokenRepeatsIsCountedTwice() {
        AtomicInteger tokens = new AtomicInteger();
        ApiClient api = server.api();
        new TokenRefresher(() -> new TokenRefresher.Token("t" + tokens.incrementAndGet(), Duration.ofMinutes(1)),
                Clock.system()).provide(api);
        server.answerWith((request, out) -> RawServer.always(
                request.headers().toString().contains("Bearer t1") ? 401 : 200, OBJECT).answer(request, out));
        try (HttpKubeClient client = client(api)) {
            configMaps(client).get(ObjectKey.of("default", "a"));
        }

        assertThat(attempts()).containsExactly("GET 200 " + host, "GET 401 " + host);
        assertThat(Counts.of(registry, "rest.client.request.retries", "verb", "code", "host"))
                .containsExactly("GET 200 " + host);
    }
}
