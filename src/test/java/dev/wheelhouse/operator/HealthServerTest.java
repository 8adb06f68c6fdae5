package dev.wheelhouse.operator;

import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import com.sun.management.UnixOperatingSystemMXBean;

import io.kubernetes.client.openapi.models.V1ServiceAccount;

import dev.wheelhouse.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/** It counts the file descriptors of the process. */
@Isolated
class HealthServerTest {
    private static final int IDLE = 600;

    @Test
    void connectionsThatSayNothingCloseTheOldestOfThemAndKeepNoProbeOut() throws Exception {
        List<Socket> idle = new ArrayList<>();
        try (TestServer server = TestServer.start();
                Wheelhouse wheelhouse = Wheelhouse.builder().client(server.apiClient()).operator(new Idle()).health(0)
                        .start()) {
            int port = wheelhouse.healthPort();
            assertThat(answer(port, "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")).startsWith("HTTP/1.1 200 ")
                    .endsWith("\r\n\r\nok\n");
            long before = fileDescriptors();
            for (int i = 0; i < IDLE; i++) {
                idle.add(new Socket("127.0.0.1", port));
            }
            assertThat(answer(port, "GET /livez?verbose HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 200 ");
            assertThat(fileDescriptors() - before).as("600 sockets of the clients, and 256 of the server")
                    .isLessThan(1_000);
        } finally {
            for (Socket each : idle) {
                each.close();
            }
        }
    }

    @Test
    void strangeRequestsAreAnsweredInASentenceOrNotAtAll() throws Exception {
        try (TestServer server = TestServer.start();
                Wheelhouse wheelhouse = Wheelhouse.builder().client(server.apiClient()).operator(new Idle()).health(0)
                        .start()) {
            Map<String, String> answers = Map.of(
                    "HEAD /livez HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK",
                    "POST /livez HTTP/1.1\r\n\r\n", "HTTP/1.1 405 Method Not Allowed",
                    "GET /secrets HTTP/1.1\r\n\r\n", "HTTP/1.1 404 Not Found",
                    "\r\n\r\n", "HTTP/1.1 405 Method Not Allowed",
                    "GET\r\n\r\n", "HTTP/1.1 404 Not Found",
                    "GET /livez HTTP/1.1\r\nX: " + "x".repeat(20_000), "");
            for (Map.Entry<String, String> each : answers.entrySet()) {
                assertThat(answer(wheelhouse.healthPort(), each.getKey()).lines().findFirst().orElse(""))
                        .isEqualTo(each.getValue());
            }
        }
    }

    private static final class Idle implements DecidingOperator<V1ServiceAccount> {
        @Override
        public void setup(Setup<V1ServiceAccount> setup) {}

        @Override
        public Decision decide(V1ServiceAccount account, Related related, Instant now) {
            return Decision.deleteAll();
        }
    }

    private static long fileDescriptors() {
        return ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getOpenFileDescriptorCount();
    }

    private static String answer(int port, String request) throws Exception {
        try (Socket socket = new Socket("127.0.0.1", port); InputStream in = socket.getInputStream()) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (SocketException e) {
            // A server that closes before it has read everything resets the connection.
            return "";
        }
    }
}
