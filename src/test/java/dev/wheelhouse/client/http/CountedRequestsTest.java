package dev.wheelhouse.client.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.runtime.Clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The requests to an API server, counted as client-go counts them. */
class CountedRequestsTest {
    private static final String OBJECT = "{\"metadata\":{\"name\":\"a\",\"namespace\":\"default\"}}";

    private final List<String> counted = new CopyOnWriteArrayList<>();
    private final RawServer server = new RawServer(RawServer.always(200, OBJECT));
    private final String host = server.url().replace("http://", "");

    CountedRequestsTest() throws IOException {}

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    private final class Recorded implements HttpMetrics {
        @Override
        public void connected() {
            counted.add("connected");
        }

        @Override
        public void attempted(String method, String to, String code, boolean again) {
            assertThat(to).isEqualTo(host);
            counted.add(method + " " + code + (again ? " again" : ""));
        }

        @Override
        public void sent(String method, String to, long bytes) {
            counted.add(method + " sent " + bytes);
        }

        @Override
        public void ended(String method, String to, long nanos, long bytes) {
            assertThat(nanos).isPositive();
            counted.add(method + " ended " + bytes);
        }
    }

    private HttpKubeClient client(ApiClient api) {
        CountedRequests.install(api, new Recorded(), Clock.system());
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
        assertThat(counted).containsExactly("connected", "GET sent 0", "GET 200", "GET ended " + OBJECT.length(),
                "POST sent " + sent, "POST 200", "POST ended " + OBJECT.length());
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

        assertThat(counted).containsExactly("connected", "GET sent 0", "GET 503", "GET ended 2", "GET sent 0",
                "GET <error>", "GET ended -1");
    }

    @Test
    void aWatchIsARequestWithoutADuration() throws Exception {
        server.answerWith(RawServer.always(200, "{\"type\":\"ADDED\",\"object\":" + OBJECT + "}\n"));
        try (HttpKubeClient client = client(server.api());
                var watch = configMaps(client).listerWatcher("", LabelSelector.everything(),
                        FieldSelector.everything()).watch(new WatchOptions("1", false, Duration.ofMinutes(1)))) {
            assertThat(watch.next(Duration.ofSeconds(10))).isInstanceOf(WatchEvent.Added.class);
        }

        assertThat(counted).containsExactly("connected", "GET sent 0", "GET 200");
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

        assertThat(counted).contains("GET 401", "GET 200 again");
    }
}
