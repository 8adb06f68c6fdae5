package dev.wheelhouse.node.cri;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

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
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int SETTINGS = 4;
    private static final int PREFACE = 24;

    /** A server that answers the first gRPC call of each connection; it knows only the frames that this takes. */
    private static final class HealthServer implements AutoCloseable {
        private final ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        private final HealthCheckResponse.@Nullable ServingStatus status;
        private final int code;
        private volatile String service = "";

        /** @param status null for an answer without a message */
        HealthServer(HealthCheckResponse.@Nullable ServingStatus status, int code) throws IOException {
            this.status = status;
            this.code = code;
            Thread.ofVirtual().start(() -> {
                try (Socket client = socket.accept()) {
                    serve(new DataInputStream(client.getInputStream()), new DataOutputStream(client.getOutputStream()));
                } catch (IOException e) {
                    // The client has its answer, or the test has ended.
                }
            });
        }

        String address() {
            return "127.0.0.1:" + socket.getLocalPort();
        }

        private void serve(DataInputStream in, DataOutputStream out) throws IOException {
            in.readFully(new byte[PREFACE]);
            frame(out, SETTINGS, 0, 0, new byte[0]);
            while (true) {
                int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
                int type = in.readUnsignedByte();
                int flags = in.readUnsignedByte();
                int stream = in.readInt();
                byte[] body = new byte[length];
                in.readFully(body);
                if (type == SETTINGS && flags == 0) {
                    frame(out, SETTINGS, 1, 0, new byte[0]);
                }
                if (type == DATA && length > 5) {
                    service = HealthCheckRequest.parser().parseFrom(body, 5, length - 5).getService();
                    answer(out, stream);
                }
            }
        }

        private void answer(DataOutputStream out, int stream) throws IOException {
            frame(out, HEADERS, 4, stream, headers(new byte[]{(byte) 0x88}, "content-type", "application/grpc"));
            if (status != null) {
                byte[] message = HealthCheckResponse.newBuilder().setStatus(status).build().toByteArray();
                ByteArrayOutputStream data = new ByteArrayOutputStream();
                DataOutputStream text = new DataOutputStream(data);
                text.writeByte(0);
                text.writeInt(message.length);
                text.write(message);
                frame(out, DATA, 0, stream, data.toByteArray());
            }
            frame(out, HEADERS, 5, stream, headers(new byte[0], "grpc-status", String.valueOf(code), "grpc-message",
                    "why"));
        }

        private static byte[] headers(byte[] first, String... namesAndValues) {
            ByteArrayOutputStream block = new ByteArrayOutputStream();
            block.writeBytes(first);
            for (int i = 0; i < namesAndValues.length; i++) {
                if (i % 2 == 0) {
                    block.write(0);
                }
                block.write(namesAndValues[i].length());
                block.writeBytes(namesAndValues[i].getBytes(StandardCharsets.US_ASCII));
            }
            return block.toByteArray();
        }

        private static void frame(DataOutputStream out, int type, int flags, int stream, byte[] body)
                throws IOException {
            out.writeByte(0);
            out.writeShort(body.length);
            out.writeByte(type);
            out.writeByte(flags);
            out.writeInt(stream);
            out.write(body);
            out.flush();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

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
        try (HealthServer server = new HealthServer(status, code)) {
            assertThat(Prober.health(server.address(), "mine", TIME)).isEqualTo(expected);
            assertThat(server.service).isEqualTo("mine");
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
