package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import com.sun.net.httpserver.HttpServer;

import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1HTTPGetAction;
import io.kubernetes.client.openapi.models.V1Probe;

import dev.wheelhouse.node.cri.proto.Cri.HealthCheckRequest;
import dev.wheelhouse.node.cri.proto.Cri.HealthCheckResponse;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(30)
class ProberTest {
    private static final Duration TIME = Duration.ofSeconds(2);

    @ParameterizedTest(name = "{0}, status {1}: {2}")
    @CsvSource(delimiter = '|',
            textBlock = """
                    SERVING     |  0 |
                    NOT_SERVING |  0 | service unhealthy (responded with "NOT_SERVING")
                                |  5 | error: health rpc probe failed: why
                                | 12 | error: this server does not implement the grpc health protocol \
                    (grpc.health.v1.Health): why
                    """)
    void aGrpcServerIsAskedForItsHealth(HealthCheckResponse.@Nullable ServingStatus status, int code,
            @Nullable String expected) throws IOException {
        List<String> services = new CopyOnWriteArrayList<>();
        try (ScriptedGrpc server = new ScriptedGrpc(request -> {
            services.add(HealthCheckRequest.parseFrom(request).getService());
            return status == null ? null : HealthCheckResponse.newBuilder().setStatus(status).build();
        }, code)) {
            assertThat(Prober.health(server.address(), "mine", TIME)).isEqualTo(expected);
            assertThat(services).containsExactly("mine");
        }
    }

    @Test
    void aServerThatIsNotThereOrDoesNotAnswerFailsTheProbe() throws IOException {
        assertThat(Prober.health("127.0.0.1:1", "", TIME)).isEqualTo(
                "timeout: failed to connect service \"127.0.0.1:1\" within 2s: context deadline exceeded");
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(Prober.health("127.0.0.1:" + silent.getLocalPort(), "", Duration.ofSeconds(1)))
                    .isEqualTo("timeout: health rpc did not complete within 1s");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|',
            value = {"/ok | |", "/to/ok | |", "/other | | Probe terminated redirects, Response body: gone",
                    "/300 | | Probe terminated redirects, Response body: gone",
                    "/fails | HTTP probe failed with statuscode: 500 |",
                    "/to/fails | HTTP probe failed with statuscode: 500 |", "/count/9 | |",
                    "/count/10 | Get \"/count/0\": stopped after 10 redirects |"})
    void redirectsAreFollowedAtTheSameHost(String path, @Nullable String failure, @Nullable String warning)
            throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String asked = exchange.getRequestURI().getPath();
            String last = asked.substring(asked.lastIndexOf('/') + 1);
            String to = asked.startsWith("/to/")
                    ? "/" + last
                    : asked.equals("/other") || asked.equals("/300")
                            ? "http://localhost:1/"
                            : asked.startsWith("/count/") && !last.equals("0")
                                    ? "/count/" + (Integer.parseInt(last) - 1)
                                    : null;
            int code = asked.equals("/fails") ? 500 : asked.equals("/300") ? 300 : to == null ? 200 : 302;
            if (to != null) {
                exchange.getResponseHeaders().set("Location", to);
            }
            exchange.sendResponseHeaders(code, 4);
            exchange.getResponseBody().write("gone".getBytes(StandardCharsets.UTF_8));
            exchange.close();
        });
        server.start();
        List<String> warnings = new ArrayList<>();
        try (Prober prober = new Prober(null)) {
            V1Probe probe = new V1Probe().timeoutSeconds(20).httpGet(
                    new V1HTTPGetAction().path(path).port(new IntOrString(server.getAddress().getPort())));
            assertThat(prober.probe(probe, new V1Container(), "id", "127.0.0.1", warnings::add)).isEqualTo(failure);
        } finally {
            server.stop(0);
        }
        assertThat(warnings).isEqualTo(warning == null ? List.of() : List.of(warning));
    }
}
