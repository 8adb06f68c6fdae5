package dev.wheelhouse.console;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.chrome.ChromeDriver;
import org.slf4j.LoggerFactory;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;

import dev.wheelhouse.RunningService;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Pages in a real Chromium on the machine of an open server try all that pages can, and neither read nor change
 * anything.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(1800)
@Tag("processes")
@Tag("full")
class BrowserTest {
    private static final String SECRET = "the-content-of-the-secret";
    /** Even on a busy machine each attempt reaches a server within this time. */
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final String SECRETS = "/api/v1/namespaces/default/secrets";
    private static final String CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

    @TempDir
    private static Path directory;

    private RunningService service;
    private HttpServer pages;
    private @Nullable ChromeDriver chromium;
    private final List<String> reachedThePages = new CopyOnWriteArrayList<>();

    @BeforeAll
    void start() throws Exception {
        Chromium.requireOrSkip();
        pages = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        pages.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        pages.createContext("/", this::servePage);
        pages.start();
        service = RunningService.start(directory, "--management.endpoints.web.exposure.include=*",
                "--management.endpoint.shutdown.access=unrestricted", "--wheelhouse.controllers=",
                "--wheelhouse.nodes.count=0");
        new CoreV1Api(service.api()).createNamespacedSecret("default",
                new V1Secret().metadata(new V1ObjectMeta().name("s")).putStringDataItem("password", SECRET)).execute();
        chromium = Chromium.start(directory.resolve("profile"), "--host-resolver-rules=MAP evil.example 127.0.0.1");
    }

    @AfterAll
    void stop() {
        if (chromium != null) {
            chromium.quit();
        }
        if (service != null) {
            service.close();
        }
        if (pages != null) {
            pages.stop(0);
        }
    }

    /** Serves the page, and takes whatever is sent as a server does that has no rules. */
    private void servePage(HttpExchange exchange) throws IOException {
        exchange.getRequestBody().readAllBytes();
        String path = exchange.getRequestURI().getPath();
        reachedThePages.add(exchange.getRequestMethod() + " " + path);
        String body = path.equals("/page")
                ? "<!doctype html><title>page</title>"
                : path.equals("/sandboxed")
                        ? "<!doctype html><title>page</title><script>const attack = " + attack()
                                + "; attack(new URLSearchParams(location.search).get('api'), "
                                + "new URLSearchParams(location.search).get('actuator'), "
                                + "done => parent.postMessage(done, '*'))</script>"
                        : "{\"items\": [\"" + SECRET + "\"]}";
        exchange.getResponseHeaders().add("Content-Type", path.contains("api") ? "application/json" : "text/html");
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private List<String> attack(String api, String actuator) throws IOException {
        return attack(api, actuator, Duration.ofMillis(1500));
    }

    private static String attack() throws IOException {
        return Files.readString(Path.of("src/test/resources/browser/attack.js"));
    }

    private String api() {
        return service.api().getBasePath();
    }

    private String actuator() {
        return service.actuator();
    }

    private String page(String host) {
        return "http://" + host + ":" + pages.getAddress().getPort() + "/page";
    }

    /** All that the page that is open tries. @return what each attempt came to, as {@code name: outcome} */
    @SuppressWarnings("unchecked")
    private List<String> attack(String api, String actuator, Duration patience) throws IOException {
        Object outcomes = browser().executeAsyncScript("(" + attack()
                + ")(arguments[0], arguments[1], arguments[arguments.length - 1], arguments[2])", api, actuator,
                patience.toMillis());
        return (List<String>) outcomes;
    }

    private ChromeDriver browser() {
        return Objects.requireNonNull(chromium);
    }

    private String state() throws Exception {
        CoreV1Api core = new CoreV1Api(service.api());
        return core.listNamespacedSecret("default").execute().getItems().stream()
                .map(s -> s.getMetadata().getName() + s.getMetadata().getResourceVersion()).toList()
                + " " + core.listNamespacedConfigMap("default").execute().getItems().stream()
                        .map(c -> c.getMetadata().getName() + c.getMetadata().getResourceVersion()).toList()
                + " " + LoggerFactory.getLogger("page").isTraceEnabled();
    }

    private void nothingCameOfIt(List<String> outcomes, String before) throws Exception {
        assertThat(outcomes).hasSizeGreaterThan(25).noneMatch(outcome -> outcome.contains("read")
                || outcome.contains("opened") || outcome.contains(SECRET) || outcome.contains("not tried"));
        assertThat(state()).isEqualTo(before);
    }

    @Test
    void aPageOfAnotherOriginReadsAndChangesNothingWhicheverWayItAsks() throws Exception {
        String before = state();
        for (String host : List.of("127.0.0.1", "localhost", "evil.example")) {
            browser().get(page(host));
            nothingCameOfIt(attack(api(), actuator()), before);
            if (!host.equals("evil.example")) {
                nothingCameOfIt(attack(api().replace("127.0.0.1", "localhost"),
                        actuator().replace("127.0.0.1", "localhost")), before);
            }
        }
    }

    @Test
    void aPageWithoutAnOriginReadsAndChangesNothing() throws Exception {
        String before = state();
        browser().get(page("127.0.0.1"));
        @SuppressWarnings("unchecked")
        List<String> outcomes = (List<String>) browser().executeAsyncScript("""
                const done = arguments[arguments.length - 1];
                addEventListener('message', message => done(message.data));
                const frame = document.createElement('iframe');
                frame.sandbox = 'allow-scripts allow-forms';
                frame.src = '/sandboxed?' + new URLSearchParams({api: arguments[0], actuator: arguments[1]});
                document.body.append(frame);
                """, api(), actuator());
        nothingCameOfIt(outcomes, before);
    }

    /** The page's name now stands for this machine: its origin is the server's own, as the browser sees it. */
    @Test
    void aPageWhoseNameWasMadeToPointHereReadsAndChangesNothing() throws Exception {
        String before = state();
        for (String own : List.of(api(), actuator())) {
            String rebound = "http://evil.example:" + URI.create(own).getPort();
            browser().get(rebound + (own.equals(api()) ? SECRETS : "/actuator/env"));
            assertThat(browser().findElement(By.tagName("body")).getText())
                    .contains("this server is not called").doesNotContain(SECRET, "systemProperties");
            List<String> outcomes = attack(rebound, rebound + "/actuator");
            assertThat(outcomes).noneMatch(outcome -> outcome.contains(SECRET) || outcome.contains("opened")
                    || outcome.contains("read 2"));
            assertThat(state()).isEqualTo(before);
        }
    }

    @Test
    void aPersonWhoTypesTheAddressReadsWhatIsThere() throws Exception {
        browser().get(api() + CONFIG_MAPS);
        assertThat(browser().findElement(By.tagName("body")).getText()).contains("ConfigMapList");
        browser().get(actuator() + "/health/readiness");
        assertThat(browser().findElement(By.tagName("body")).getText()).contains("\"status\":\"UP\"");
    }

    /** Without this, a page that tries nothing would pass too. */
    @Test
    void thePagesAttemptsReachAServerThatHasNoRules() throws Exception {
        browser().get(page("127.0.0.1"));
        String own = "http://127.0.0.1:" + pages.getAddress().getPort();
        List<String> outcomes = attack(own, own + "/actuator", PATIENCE);

        assertThat(outcomes.stream().filter(outcome -> outcome.contains("read 200"))).hasSizeGreaterThan(10);
        assertThat(outcomes).anyMatch(outcome -> outcome.contains(SECRET));
        assertThat(reachedThePages).contains("GET " + SECRETS, "POST " + CONFIG_MAPS, "DELETE " + SECRETS + "/s",
                "PATCH " + SECRETS + "/s", "POST /actuator/shutdown", "POST /actuator/loggers/page");

        reachedThePages.clear();
        browser().get(page("localhost"));
        attack(own, own + "/actuator", PATIENCE);
        assertThat(reachedThePages).as("what a browser sends from a foreign page without asking first")
                .contains("GET " + SECRETS, "POST " + CONFIG_MAPS, "POST /actuator/shutdown")
                .doesNotContain("DELETE " + SECRETS + "/s");
    }
}
