package org.example;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ServiceAccount;

import dev.wheelhouse.manager.ControllerManager;
import dev.wheelhouse.testing.Eventually;
import dev.wheelhouse.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/** The application keeps its own port, pages, beans and settings, and runs its operator. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@ExtendWith(OutputCaptureExtension.class)
class WelcomeApplicationTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final TestServer SERVER = TestServer.start();

    @LocalServerPort
    private int port;

    @DynamicPropertySource
    static void kubeconfig(DynamicPropertyRegistry registry) {
        registry.add("wheelhouse.kubeconfig", () -> SERVER.kubeconfig().toString());
    }

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    private String get(String path) throws Exception {
        return HttpClient.newHttpClient().send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
                HttpResponse.BodyHandlers.ofString()).body();
    }

    @Test
    void theOperatorRunsAndCanBeSeen(@Autowired ApiClient client) throws Exception {
        CoreV1Api core = new CoreV1Api(client);
        core.createNamespacedServiceAccount("default", new V1ServiceAccount().metadata(new V1ObjectMeta().name("ada")))
                .execute();

        Eventually.eventually("the account is welcomed", SOON, () -> core.listNamespacedConfigMap("default").execute()
                .getItems().stream().anyMatch(map -> "Welcome, ada".equals(map.getData().get("text"))));
        assertThat(get("/actuator/informers")).contains("serviceaccounts", "configmaps");
        assertThat(get("/actuator/health")).contains("caches", "welcome-operator");
        assertThat(get("/actuator/metrics/workqueue.adds")).contains("welcome-operator");
    }

    @Test
    void theBuiltInControllersDoNotRunUnlessTheyAreNamed(@Autowired ControllerManager manager) {
        Eventually.eventually("the controllers run", SOON, manager::isRunning);

        assertThat(manager.states()).extracting(state -> state.name()).containsExactly("welcome-operator");
    }

    @Test
    void thePagesAndTheActuatorAreTheApplicationsOwn() throws Exception {
        assertThat(get("/")).isEqualTo("hello");
        // The guard of the standalone service refuses web pages; this application has its own rules, or none.
        HttpResponse<String> asPage = HttpClient.newHttpClient().send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/actuator/health"))
                        .header("Origin", "http://example.com").header("Sec-Fetch-Site", "cross-site").build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(asPage.statusCode()).isEqualTo(200);
    }

    @Test
    void theConsoleIsTheApplicationsOwn(CapturedOutput output) {
        assertThat(output.getAll()).doesNotContain("Wheelhouse is ready");
    }
}
