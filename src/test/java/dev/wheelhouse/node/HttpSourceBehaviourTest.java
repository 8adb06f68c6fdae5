package dev.wheelhouse.node;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Toleration;

import dev.wheelhouse.Logged;
import dev.wheelhouse.podconfig.HttpManifests;

import static org.assertj.core.api.Assertions.assertThat;

/** The requirements of the HTTP source, one test each, from the web server to the pods. */
@Isolated
class HttpSourceBehaviourTest {
    @TempDir
    Path directory;

    private final List<HttpExchange> requests = new CopyOnWriteArrayList<>();
    private @Nullable HttpServer server;
    private @Nullable NodeHarness node;

    @AfterEach
    void stop() {
        if (node != null) {
            node.agent.close();
        }
        if (server != null) {
            server.stop(0);
        }
    }

    private NodeHarness start(NodeAgentOptions options) {
        NodeHarness made = new NodeHarness(options);
        node = made;
        made.settle();
        return made;
    }

    private NodeHarness serve(HttpHandler answer, Map<String, List<String>> headers) throws IOException {
        HttpServer made = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        made.createContext("/", exchange -> {
            requests.add(exchange);
            answer.handle(exchange);
        });
        made.start();
        server = made;
        HttpManifests plain = HttpManifests
                .of(URI.create("http://127.0.0.1:" + made.getAddress().getPort() + "/pods.yaml"));
        return start(NodeAgentOptions.hollow("node-1", 0).withManifestUrl(
                new HttpManifests(plain.url(), headers, plain.period(), plain.timeout(), plain.otherOrigins())));
    }

    private static void reply(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        try (exchange) {
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    @Test
    void theFirstThreeFailuresAreLoggedThenOneLineSaysThatItGoesQuietAndRecoveryIsLogged() throws IOException {
        boolean[] broken = {true};
        try (Logged log = Logged.by("dev.wheelhouse.podconfig.HttpSource")) {
            NodeHarness harness = serve(e -> reply(e, broken[0] ? 503 : 200, NodeHarness.manifest("web", "nginx:1")),
                    Map.of());
            harness.pass(Duration.ofMinutes(3));
            assertThat(requests).hasSizeGreaterThan(8);
            assertThat(log.lines()).hasSize(4).allSatisfy(line -> assertThat(line).startsWith("WARN")
                    .contains("/pods.yaml: the server responded with status 503; 200 was expected"));
            assertThat(log.lines().subList(0, 3)).noneMatch(line -> line.contains("not logged"));
            assertThat(log.lines().get(3))
                    .endsWith("; retrying every 20 s, and further failures are not logged");

            broken[0] = false;
            harness.pass(Duration.ofMinutes(1));

            assertThat(log.lines()).hasSize(5);
            assertThat(log.lines().get(4)).startsWith("INFO pods can be read from http://").contains("again, after ")
                    .endsWith(" failures");
            assertThat(Objects.requireNonNull(node).podsOf("http")).containsExactly("web-node-1 nginx:1");
        }
    }

    @Test
    void aStaticPodGetsNameNamespaceUidNodePhaseAndFromAFileAToleration() throws IOException {
        NodeHarness harness = serve(e -> reply(e, 200, NodeHarness.manifest("from-url", "nginx:1")), Map.of());
        harness.agent.close();
        NodeAgentOptions both = NodeAgentOptions.hollow("node-1", 0).withManifests(directory, Duration.ofSeconds(20))
                .withManifestUrl(HttpManifests.of(URI.create(
                        "http://127.0.0.1:" + Objects.requireNonNull(server).getAddress().getPort() + "/pods.yaml")));
        Files.writeString(directory.resolve("from-file.yaml"), NodeHarness.manifest("from-file", "nginx:1"));
        start(both);
        V1Toleration toleration = new V1Toleration().operator("Exists").effect("NoExecute");

        for (String source : List.of("file", "http")) {
            V1Pod pod = Objects.requireNonNull(node).agent.podConfig().storage().states().stream()
                    .filter(s -> s.source().equals(source)).findFirst().orElseThrow().pods().get(0);
            assertThat(pod.getMetadata().getName())
                    .isEqualTo(source.equals("file") ? "from-file-node-1" : "from-url-node-1");
            assertThat(pod.getMetadata().getNamespace()).isEqualTo("default");
            assertThat(pod.getMetadata().getUid()).matches("[0-9a-f]{32}");
            assertThat(pod.getSpec().getNodeName()).isEqualTo("node-1");
            assertThat(pod.getStatus().getPhase()).isEqualTo("Pending");
            assertThat(pod.getSpec().getTolerations() == null ? List.of() : pod.getSpec().getTolerations())
                    .isEqualTo(source.equals("file") ? List.of(toleration) : List.of());
        }
    }
}
