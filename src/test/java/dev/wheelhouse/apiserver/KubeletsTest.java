package dev.wheelhouse.apiserver;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.wheelhouse.RawHttp;
import dev.wheelhouse.apiserver.auth.OwnAuthority;
import dev.wheelhouse.apiserver.auth.ServerKeys;
import dev.wheelhouse.apiserver.auth.ServingCertificate;

import static org.assertj.core.api.Assertions.assertThat;

/** Logs and connections of pods whose node is not hollow lead to the kubelet of the node. */
@Timeout(60)
class KubeletsTest {
    private static final String POD = "/api/v1/namespaces/default/pods/p";
    private static final String SPDY = "Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4\r\n";

    private static final String SOCKET = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

    private final ApiServer server = new ApiServer(ApiServerOptions.defaults()).start();
    private final SSLServerSocket kubelet = kubelet();
    private final BlockingQueue<String> asked = new LinkedBlockingQueue<>();
    private Thread accepting = Thread.currentThread();
    /** Lets the kubelet send the rest of the logs that it follows. */
    private final CountDownLatch more = new CountDownLatch(1);

    private static SSLServerSocket kubelet() {
        try {
            ServingCertificate certificate = OwnAuthority.of(ServerKeys.inMemory(), Instant.now())
                    .serving(List.of("elsewhere"), Instant.now());
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(null, null);
            keys.setKeyEntry("kubelet", certificate.key(), new char[0],
                    certificate.chain().toArray(new Certificate[0]));
            KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(keys, new char[0]);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(managers.getKeyManagers(), null, null);
            return (SSLServerSocket) context.getServerSocketFactory().createServerSocket(0, 0,
                    InetAddress.getLoopbackAddress());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @BeforeEach
    void start() throws Exception {
        accepting = Thread.ofVirtual().start(() -> {
            while (!kubelet.isClosed()) {
                try {
                    Socket client = kubelet.accept();
                    Thread.ofVirtual().start(() -> serve(client));
                } catch (IOException e) {
                    // The test has ended.
                }
            }
        });
        node("n", kubelet.getLocalPort());
        pod("p", "n");
    }

    private void pod(String name, String node) throws Exception {
        exchange("POST /api/v1/namespaces/default/pods", "", "{\"metadata\":{\"name\":\"" + name
                + "\"},\"spec\":{\"nodeName\":\"" + node
                + "\",\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}");
    }

    private void node(String name, int port) throws Exception {
        exchange("POST /api/v1/nodes", "", "{\"metadata\":{\"name\":\"" + name
                + "\"},\"status\":{\"addresses\":[{\"type\":\"InternalIP\",\"address\":\"127.0.0.1\"}],"
                + "\"daemonEndpoints\":{\"kubeletEndpoint\":{\"Port\":" + port + "}}}}");
    }

    @AfterEach
    void stop() throws Exception {
        more.countDown();
        kubelet.close();
        server.close();
    }

    private void serve(Socket client) {
        try (client) {
            InputStream in = client.getInputStream();
            OutputStream out = client.getOutputStream();
            StringBuilder head = new StringBuilder();
            while (!head.toString().endsWith("\r\n\r\n")) {
                head.append((char) in.read());
            }
            asked.add(head.toString());
            if (head.indexOf("/exec/") > 0) {
                write(out, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\nhello");
                in.transferTo(out);
            } else if (head.indexOf("/attach/") > 0) {
                write(out, "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
            } else if (head.indexOf("/portForward/") > 0) {
                write(out, "HTTP/1.1 500 Refused\r\nConnection: close\r\n\r\nit has ended");
            } else {
                write(out, "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\none\n");
                if (head.indexOf("follow=true") > 0) {
                    more.await();
                    write(out, "two\n");
                }
            }
        } catch (IOException | InterruptedException e) {
            // The client has ended.
        }
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    private RawHttp send(String request, String headers, String body) throws Exception {
        return RawHttp.connect(server.port(), 30_000).send(request + " HTTP/1.1\r\nHost: localhost\r\n" + headers
                + "Content-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
    }

    private String exchange(String request, String headers, String body) throws Exception {
        try (RawHttp raw = send(request, headers, body)) {
            return raw.answer();
        }
    }

    static String until(RawHttp raw, String text) throws IOException {
        StringBuilder read = new StringBuilder();
        while (!read.toString().endsWith(text)) {
            int next = raw.socket().getInputStream().read();
            assertThat(next).as("the byte after " + read).isNotNegative();
            read.append((char) next);
        }
        return read.toString();
    }

    @Test
    void logsAreThoseOfTheKubelet() throws Exception {
        assertThat(exchange("GET " + POD + "/log?tailLines=3&timestamps=true", "Authorization-Not: x\r\n", ""))
                .contains("200").contains("one\n");
        assertThat(asked.poll(30, TimeUnit.SECONDS))
                .startsWith("GET /containerLogs/default/p/c?tailLines=3&timestamps=true HTTP/1.1\r\n");
    }

    @Test
    void logsThatAreFollowedComeAsTheyAreWritten() throws Exception {
        try (RawHttp raw = send("GET " + POD + "/log?follow=true", "", "")) {
            until(raw, "one\n");
            more.countDown();
            until(raw, "two\n");
        }
    }

    @Test
    void bytesPassInBothDirectionsAfterAChangeOfProtocols() throws Exception {
        try (RawHttp raw = send("POST " + POD + "/exec?command=ls&command=-l&stdout=true", SPDY
                + "Cookie: secret=1\r\n", "")) {
            assertThat(until(raw, "hello")).startsWith("HTTP/1.1 101").contains("Upgrade: SPDY/3.1");
            raw.send("ping");
            until(raw, "ping");
        }
        assertThat(asked.poll(30, TimeUnit.SECONDS))
                .startsWith("POST /exec/default/p/c?command=ls&command=-l&output=1 HTTP/1.1\r\n")
                .contains("X-Stream-Protocol-Version: v4", "Upgrade: SPDY/3.1").doesNotContain("Cookie");
    }

    @Test
    void theKubeletsRefusalIsPassedOn() throws Exception {
        assertThat(exchange("POST " + POD + "/attach?stdout=true", SPDY, "")).startsWith("HTTP/1.1 403").endsWith("no");
        assertThat(exchange("POST " + POD + "/portforward?ports=80", SPDY, ""))
                .as("one that the end of the connection ends")
                .startsWith("HTTP/1.1 500").contains("it has ended");
    }

    @Test
    void aKubeletThatIsNotThereIsNamed() throws Exception {
        int port = kubelet.getLocalPort();
        kubelet.close();
        // The system accepts connections until the last thread has left the socket.
        assertThat(accepting.join(Duration.ofSeconds(30))).isTrue();
        String refused = "dial tcp 127.0.0.1:" + port + ": connect: connection refused\",\"code\":500";
        assertThat(exchange("GET " + POD + "/log", "", ""))
                .contains("Get \\\"https://127.0.0.1:" + port + "/containerLogs/default/p/c\\\": " + refused);
        assertThat(exchange("POST " + POD + "/portforward?ports=80", SPDY, ""))
                .contains("error dialing backend: " + refused);
    }

    @Test
    void theProxyOfANodeDoesNotLeadToThisMachine() throws Exception {
        assertThat(exchange("GET /api/v1/nodes/n/proxy/metrics", "", "")).contains("address not allowed");
    }

    @Test
    void logsAreMessagesOfAWebSocket() throws Exception {
        for (String protocol : List.of("", "binary.k8s.io", "base64.binary.k8s.io")) {
            String header = protocol.isEmpty() ? "" : "Sec-WebSocket-Protocol: " + protocol + "\r\n";
            try (RawHttp raw = send("GET " + POD + "/log", SOCKET + header, "")) {
                assertThat(until(raw, "\r\n\r\n")).startsWith("HTTP/1.1 101").contains(header);
                until(raw, protocol.startsWith("base64")
                        ? "\u0081\u0000\u0081\u0008b25lCg=="
                        : "\u0082\u0000\u0082\u0004one\n");
                until(raw, "\u0088\u0002\u0003\u00e8");
            }
            assertThat(asked.poll(30, TimeUnit.SECONDS)).startsWith("GET /containerLogs/default/p/c HTTP/1.1\r\n")
                    .doesNotContain("Upgrade");
        }
    }

    @Test
    void logsOfAHollowPodAreMessagesOfAWebSocketToo() throws Exception {
        pod("h", "gone");
        for (String query : List.of("", "?follow=true")) {
            try (RawHttp raw = send("GET /api/v1/namespaces/default/pods/h/log" + query, SOCKET, "")) {
                until(raw, "\r\n\r\n\u0082\u0000\u0082");
                until(raw, "there is no output.\n");
                if (!query.isEmpty()) {
                    exchange("DELETE /api/v1/namespaces/default/pods/h?gracePeriodSeconds=0", "", "");
                }
                until(raw, "\u0088\u0002\u0003\u00e8");
            }
        }
    }

    @Test
    void logsInOtherProtocolsAreRefused() throws Exception {
        assertThat(exchange("GET " + POD + "/log", SOCKET + "Sec-WebSocket-Protocol: chat\r\n", ""))
                .startsWith("HTTP/1.1 403").contains("binary.k8s.io");
        assertThat(exchange("GET " + POD + "x/log", SOCKET, "")).startsWith("HTTP/1.1 404");
    }

    @Test
    void logsOfAHollowPodStayOpenUntilThePodIsGone() throws Exception {
        pod("h", "gone");
        try (RawHttp raw = send("GET /api/v1/namespaces/default/pods/h/log?follow=true", "", "")) {
            until(raw, "there is no output.\n");
            exchange("DELETE /api/v1/namespaces/default/pods/h?gracePeriodSeconds=0", "", "");
            until(raw, "0\r\n\r\n");
        }
    }

    @Test
    void logsOfAHollowPodGoOnAsItsCommandPrintsAndEndWithIt() throws Exception {
        String path = "/api/v1/namespaces/default/pods";
        exchange("POST " + path, "", "{\"metadata\":{\"name\":\"h\"},\"spec\":{\"nodeName\":\"gone\",\"containers\":["
                + "{\"name\":\"c\",\"image\":\"i\",\"command\":[\"sh\",\"-c\",\"echo one; sleep 2; echo two\"]}]}}");
        String began = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        state(path, "\"running\":{\"startedAt\":\"" + began + "\"}");
        try (RawHttp raw = send("GET " + path + "/h/log?follow=true", "", "")) {
            until(raw, "one\n");
            until(raw, "two\n");
            state(path, "\"running\":null,\"terminated\":{\"exitCode\":0,\"startedAt\":\"" + began
                    + "\",\"finishedAt\":\"" + Instant.now() + "\"}");
            until(raw, "0\r\n\r\n");
        }
    }

    private void state(String path, String state) throws Exception {
        assertThat(exchange("PATCH " + path + "/h/status", "Content-Type: application/merge-patch+json\r\n",
                "{\"status\":{\"phase\":\"Running\",\"containerStatuses\":[{\"name\":\"c\",\"image\":\"i\","
                        + "\"imageID\":\"\",\"ready\":true,\"restartCount\":0,\"state\":{" + state + "}}]}}"))
                .contains(" 200 ");
    }
}
