package dev.wheelhouse.podconfig;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;

import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class HttpSourceTest {
    private static final String POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n"
            + "spec: {containers: [{name: c, image: 'nginx:1'}]}\n";

    private final ManualClock clock = new ManualClock();
    private final PodChannel channel = new PodChannel("http", () -> {});
    private final List<String> rejected = new ArrayList<>();
    private final List<Headers> requests = new CopyOnWriteArrayList<>();
    private final HttpServer server = server();
    private final HttpServer other = server();
    private volatile HttpHandler answer = e -> send(e, 200, POD);
    private final HttpSource source = source(HttpManifests.of(url(server)), Map.of("X-Token", List.of("secret")));

    private HttpServer server() {
        try {
            HttpServer made = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            made.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
            made.createContext("/", exchange -> {
                requests.add(exchange.getRequestHeaders());
                answer.handle(exchange);
            });
            made.start();
            return made;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static URI url(HttpServer server) {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/pods");
    }

    private HttpSource source(HttpManifests options, Map<String, List<String>> headers) {
        return source(options, headers, Duration.ofMinutes(2));
    }

    private HttpSource source(HttpManifests options, Map<String, List<String>> headers, Duration timeout) {
        return new HttpSource(new HttpManifests(options.url(), headers, options.period(), timeout,
                options.otherOrigins()), "node-1", channel, (from, pod, why) -> rejected.add(why),
                Meters.NONE, clock);
    }

    @AfterEach
    void stop() {
        source.close();
        server.stop(0);
        other.stop(0);
    }

    private static void send(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        try (exchange) {
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    private @Nullable List<String> fetch(HttpSource from) {
        clock.advance(Duration.ofSeconds(20));
        try {
            from.step();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        PodUpdate update = channel.peek();
        if (update == null) {
            return null;
        }
        channel.remove(update);
        return update.pods().stream().map(p -> p.getMetadata().getName() + " "
                + p.getSpec().getContainers().get(0).getImage()).toList();
    }

    private @Nullable List<String> fetch() {
        return fetch(source);
    }

    @Test
    void aPodIsFetchedWithTheConfiguredHeadersEveryPeriod() throws InterruptedException {
        assertThat(fetch()).containsExactly("web-node-1 nginx:1");
        assertThat(requests.get(0).getFirst("X-Token")).isEqualTo("secret");
        assertThat(HttpManifests.of(url(server)).timeout()).isEqualTo(Duration.ofSeconds(10));

        assertThat(source.step()).isEqualTo(Duration.ofSeconds(20).toNanos());
        assertThat(requests).hasSize(1);
    }

    @Test
    void anUnchangedBodyIsNoUpdateAndAnEmptyOneIsAnEmptySet() {
        assertThat(fetch()).hasSize(1);
        assertThat(fetch()).isNull();
        answer = e -> send(e, 200, "");
        assertThat(fetch()).isEmpty();
        answer = e -> send(e, 200, POD);
        assertThat(fetch()).hasSize(1);
    }

    @Test
    void requestsAreConditionalOnceABodyWasTaken() {
        answer = e -> {
            if ("\"v1\"".equals(e.getRequestHeaders().getFirst("If-None-Match"))) {
                send(e, 304, "");
            } else {
                e.getResponseHeaders().set("ETag", "\"v1\"");
                send(e, 200, POD);
            }
        };
        assertThat(fetch()).hasSize(1);
        assertThat(fetch()).isNull();
        assertThat(requests.get(1).getFirst("If-None-Match")).isEqualTo("\"v1\"");

        answer = e -> {
            e.getResponseHeaders().set("Last-Modified", "Wed, 21 Oct 2026 07:28:00 GMT");
            send(e, 200, POD.replace("nginx:1", "nginx:2"));
        };
        assertThat(fetch()).containsExactly("web-node-1 nginx:2");
        fetch();
        assertThat(requests.get(3).getFirst("If-Modified-Since")).isEqualTo("Wed, 21 Oct 2026 07:28:00 GMT");
    }

    @Test
    void aFailureOrABrokenBodyLeavesThePodsAsTheyWereAndIsNotRememberedAsSeen() {
        fetch();
        answer = e -> send(e, 500, "oops");
        assertThat(fetch()).isNull();
        answer = e -> {
            e.getResponseHeaders().set("ETag", "\"broken\"");
            send(e, 200, "kind: [");
        };
        assertThat(fetch()).isNull();
        assertThat(fetch()).isNull();
        assertThat(requests).noneMatch(h -> "\"broken\"".equals(h.getFirst("If-None-Match")));
        assertThat(source.refusals()).hasSize(1);
        assertThat(rejected).as("said once").hasSize(1);

        answer = e -> send(e, 200, POD);
        assertThat(fetch()).isNull();
        assertThat(source.refusals()).isEmpty();
    }

    @Test
    void aServerThatIsSlowIsGivenUp() {
        CountDownLatch never = new CountDownLatch(1);
        answer = e -> {
            e.sendResponseHeaders(200, 0);
            e.getResponseBody().write('a');
            e.getResponseBody().flush();
            try {
                never.await();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        };
        HttpSource impatient = source(HttpManifests.of(url(server)), Map.of(), Duration.ofSeconds(2));
        assertThat(fetch(impatient)).isNull();
        never.countDown();
        assertThat(impatient.report().failure()).isEqualTo("no complete response within 2 s");
        impatient.close();
    }

    @Test
    void aBodyThatIsTooLargeIsGivenUp() {
        byte[] large = new byte[1 << 20];
        answer = e -> {
            try (e) {
                e.sendResponseHeaders(200, 0);
                for (int i = 0; i < 12; i++) {
                    e.getResponseBody().write(large);
                }
            }
        };
        assertThat(fetch()).isNull();
        answer = e -> send(e, 200, POD);
        assertThat(fetch()).hasSize(1);
    }

    @Test
    void redirectsAreFollowedOnTheSameHostOnly() {
        answer = e -> {
            if (e.getRequestURI().getPath().equals("/pods")) {
                e.getResponseHeaders().set("Location", "/elsewhere");
                send(e, 302, "");
            } else {
                send(e, 200, POD);
            }
        };
        assertThat(fetch()).hasSize(1);

        answer = e -> {
            e.getResponseHeaders().set("Location", url(other).toString());
            send(e, 302, "");
        };
        int before = requests.size();
        assertThat(fetch()).isNull();
        assertThat(requests).hasSize(before + 1);

        answer = e -> {
            e.getResponseHeaders().set("Location", "/pods");
            send(e, 302, "");
        };
        assertThat(fetch()).as("a loop ends").isNull();
    }

    @Test
    void aRedirectToAnotherHostGetsNoHeaders() {
        HttpManifests options = HttpManifests.of(url(server));
        HttpSource trusting = source(
                new HttpManifests(options.url(), Map.of(), options.period(), options.timeout(), true),
                Map.of("Authorization", List.of("Bearer t")));
        answer = e -> {
            if (e.getLocalAddress().getPort() == server.getAddress().getPort()) {
                e.getResponseHeaders().set("Location", url(other).toString());
                send(e, 307, "");
            } else {
                send(e, 200, POD);
            }
        };
        assertThat(fetch(trusting)).hasSize(1);
        assertThat(requests.get(0).getFirst("Authorization")).isEqualTo("Bearer t");
        assertThat(requests.get(1).getFirst("Authorization")).isNull();
        trusting.close();
    }

    @Test
    void aServerThatIsGoneIsTriedAgainAndTheReasonIsSaidInPlainWords() {
        server.stop(0);

        assertThat(fetch()).isNull();
        assertThat(fetch()).isNull();
        assertThat(source.report().failure()).startsWith("no connection to 127.0.0.1:");
    }

    @Test
    void aHostThatNobodyKnowsIsNamed() {
        HttpSource unknown = source(HttpManifests.of(URI.create("http://nowhere.invalid/pods")), Map.of());
        assertThat(fetch(unknown)).isNull();
        assertThat(unknown.report().failure()).isEqualTo("the host nowhere.invalid cannot be resolved");
        unknown.close();
    }

    @Test
    void aBodyThatIsAsItWasWhenItWasLastGoodIsNoLongerRefused() {
        answer = e -> {
            if ("\"v1\"".equals(e.getRequestHeaders().getFirst("If-None-Match"))) {
                send(e, 304, "");
            } else {
                e.getResponseHeaders().set("ETag", "\"v1\"");
                send(e, 200, POD);
            }
        };
        fetch();
        HttpHandler good = answer;
        answer = e -> send(e, 200, "kind: [");
        fetch();
        assertThat(source.refusals()).hasSize(1);

        answer = good;
        assertThat(fetch()).isNull();
        assertThat(source.refusals()).isEmpty();
    }

    @Test
    void aUrlThatIsNoneIsRefused() {
        assertThatThrownBy(() -> HttpManifests.of(URI.create("file:///etc/passwd")))
                .hasMessageContaining("http or https");
    }
}
