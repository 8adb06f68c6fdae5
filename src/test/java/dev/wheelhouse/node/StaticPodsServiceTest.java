package dev.wheelhouse.node;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;

import dev.wheelhouse.Kubectl;
import dev.wheelhouse.RunningService;
import dev.wheelhouse.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

/** Static pods as a user meets them: the running service, real kubectl, a directory and an HTTP server. */
@Timeout(1800)
@Tag("processes")
@Tag("full")
class StaticPodsServiceTest {
    private static final Duration LONG = Duration.ofMinutes(4);

    @TempDir
    Path home;

    private Path manifests;
    private HttpServer web;
    private volatile HttpHandler answer = exchange -> reply(exchange, 200, "");
    private final CountDownLatch ending = new CountDownLatch(1);
    private final List<String> tokens = new CopyOnWriteArrayList<>();
    private RunningService service;
    private Kubectl kubectl;

    @BeforeEach
    void start() throws IOException {
        manifests = Files.createDirectory(home.resolve("pods"));
        web = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        web.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        web.createContext("/", exchange -> {
            tokens.add(String.valueOf(exchange.getRequestHeaders().getFirst("X-Token")));
            answer.handle(exchange);
        });
        web.start();
        service = RunningService.start(home, "--wheelhouse.node.manifest-directory=" + manifests,
                "--wheelhouse.node.manifest-url=" + url("/pods"), "--wheelhouse.node.http-check-period=200ms",
                "--wheelhouse.node.manifest-url-headers=X-Token:secret");
        kubectl = Kubectl.orSkip(service.kubeconfig(), home);
    }

    @AfterEach
    void stop() {
        ending.countDown();
        if (service != null) {
            service.close();
        }
        web.stop(0);
    }

    private String url(String path) {
        return "http://127.0.0.1:" + web.getAddress().getPort() + path;
    }

    private static void reply(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
        }
    }

    private static String pod(String name, String image) {
        return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name
                + "}\nspec:\n  containers:\n  - name: main\n    image: "
                + image + "\n";
    }

    /** Writes the manifest in one step: a file that is empty for a moment has no pod. */
    private Path write(String manifest) throws IOException {
        return Files.move(Files.writeString(home.resolve("new.yaml"), manifest), manifests.resolve("web.yaml"),
                StandardCopyOption.ATOMIC_MOVE);
    }

    private String get(String pod, String jsonPath) {
        return kubectl.run("get", "pod", pod + "-node-1", "--ignore-not-found", "-o", "jsonpath=" + jsonPath).output();
    }

    private void runs(String pod, String image) {
        Eventually.eventually(pod + " runs " + image, LONG,
                () -> get(pod, "{.status.phase} {.spec.containers[0].image}").equals("Running " + image));
    }

    private void isGone(String pod) {
        Eventually.eventually(pod + " is gone", LONG, () -> get(pod, "{.metadata.name}").isEmpty());
    }

    private String podSources() throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(URI.create(service.actuator() + "/podsources/node-1")).build(),
                    HttpResponse.BodyHandlers.ofString()).body();
        }
    }

    private void podSourcesSay(String text) {
        Eventually.eventually("podsources say " + text, LONG, () -> {
            try {
                return podSources().contains(text);
            } catch (IOException e) {
                throw new AssertionError(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError(e);
            }
        });
    }

    @Test
    void aManifestInTheDirectoryIsAPodUntilItIsRemovedAndABrokenOneKeepsIt() throws Exception {
        Path file = write(pod("web", "nginx:1"));
        runs("web", "nginx:1");
        String uid = get("web", "{.metadata.uid}");
        assertThat(get("web", "{.metadata.ownerReferences[0].kind}")).isEqualTo("Node");

        write(pod("web", "nginx:2").replace("name: main", "name: 7"));
        Eventually.eventually("kubectl describe says why", LONG, () -> kubectl.run("describe", "pod", "web-node-1")
                .output().contains("web.yaml line 6, spec.containers[0].name"));
        assertThat(get("web", "{.metadata.uid} {.status.phase}")).isEqualTo(uid + " Running");
        podSourcesSay("\"current\":true");
        assertThat(podSources()).contains("\"field\":\"spec.containers[0].name\"", "\"line\":6",
                "\"from\":\"" + manifests + "\"");

        write(pod("web", "nginx:2"));
        runs("web", "nginx:2");
        assertThat(get("web", "{.metadata.uid}")).isNotEqualTo(uid);
        podSourcesSay("\"current\":false");

        Files.delete(file);
        isGone("web");
    }

    @Test
    void aUrlIsAPodWhateverItsServerDoesMeanwhile() throws Exception {
        answer = exchange -> reply(exchange, 200, pod("web", "nginx:1"));
        runs("web", "nginx:1");
        String uid = get("web", "{.metadata.uid}");
        assertThat(tokens).isNotEmpty().containsOnly("secret");

        answer = exchange -> reply(exchange, 500, "no");
        podSourcesSay("the server responded with status 500");
        answer = exchange -> reply(exchange, 200, "\u0000\u0001 garbage: [");
        Eventually.eventually("kubectl describe says why", LONG, () -> kubectl.run("describe", "pod", "web-node-1")
                .output().contains("FailedValidation"));
        answer = exchange -> {
            exchange.getResponseHeaders().add("Location", "http://other.invalid/pods");
            reply(exchange, 302, "");
        };
        podSourcesSay("a redirect to another host is not followed");
        answer = HttpExchange::close;
        podSourcesSay("\"failure\":\"HTTP/1.1");
        assertThat(get("web", "{.metadata.uid} {.status.phase}")).isEqualTo(uid + " Running");

        answer = exchange -> {
            if (exchange.getRequestURI().getPath().equals("/moved")) {
                reply(exchange, 200, pod("web", "nginx:2"));
            } else {
                exchange.getResponseHeaders().add("Location", "/moved");
                reply(exchange, 307, "");
            }
        };
        runs("web", "nginx:2");
        answer = exchange -> reply(exchange, 200, "");
        isGone("web");
    }

    @Test
    void aServerThatIsSlowDoesNotHoldUpTheDirectory() throws Exception {
        answer = exchange -> {
            try {
                ending.await(1, TimeUnit.HOURS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
        write(pod("web", "nginx:1"));

        runs("web", "nginx:1");
    }
}
