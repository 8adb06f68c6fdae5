package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
}
