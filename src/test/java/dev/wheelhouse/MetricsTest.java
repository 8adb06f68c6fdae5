package dev.wheelhouse;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.util.Yaml;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** The metrics, as Prometheus reads them, after a rollout and a pod that fits nowhere. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
class MetricsTest {
    private static final String DEPLOYMENT = """
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: %1$s}
            spec:
              replicas: 1
              selector: {matchLabels: {app: %1$s}}
              template:
                metadata: {labels: {app: %1$s}}
                spec:
                  containers: [{name: main, image: app, resources: {requests: {cpu: "%2$s"}}}]
            """;

    @TempDir
    private static Path directory;

    private RunningService service;

    @BeforeAll
    void rollOut() throws Exception {
        service = RunningService.start(directory);
        AppsV1Api apps = new AppsV1Api(service.api());
        apps.createNamespacedDeployment("default", Yaml.loadAs(DEPLOYMENT.formatted("web", 1), V1Deployment.class))
                .execute();
        apps.createNamespacedDeployment("default", Yaml.loadAs(DEPLOYMENT.formatted("huge", 64), V1Deployment.class))
                .execute();
        eventually("a pod was bound and another fits nowhere", Duration.ofSeconds(30),
                () -> value("scheduler_pod_scheduling_duration_seconds_count") >= 1
                        && value("scheduler_scheduling_attempt_duration_seconds_count", "unschedulable") >= 1
                        && value("controller_writes_total", "update_status", "deployments.apps") >= 1);
    }

    @AfterAll
    void stop() {
        service.close();
    }

    private String scrape() throws IOException, InterruptedException {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(HttpRequest.newBuilder(URI.create(service.actuator() + "/prometheus"))
                    .timeout(Duration.ofSeconds(10)).build(), HttpResponse.BodyHandlers.ofString()).body();
        }
    }

    private double value(String name, String... labels) throws Exception {
        return scrape().lines().filter(line -> line.startsWith(name) && Stream.of(labels).allMatch(line::contains))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1))).sum();
    }

    @Test
    void theSchedulerIsCounted() throws Exception {
        assertThat(value("scheduler_scheduling_attempt_duration_seconds_count", "\"scheduled\"")).isPositive();
        assertThat(value("scheduler_pod_scheduling_duration_seconds_sum")).isPositive();
    }

    @Test
    void everyWriteOfAControllerIsCountedWithItsAnswer() throws Exception {
        assertThat(value("controller_writes_total", "deployment-controller", "create", "replicasets.apps", "\"201\""))
                .isEqualTo(2);
        assertThat(value("controller_writes_total", "replicaset-controller", "create", "\"pods\"", "\"201\""))
                .isEqualTo(2);
    }

    /** Of what others bring (JVM, Tomcat, Spring), the names are theirs. */
    @Test
    void promtoolFindsNothingWrongWithOurMetrics() throws Exception {
        Path promtool = Kubectl.onPath("promtool").orElse(null);
        if (promtool == null) {
            System.out.println("SKIPPED, because promtool is not on the PATH: the metrics' names were not checked");
            throw new TestAbortedException("promtool is not on the PATH");
        }
        List<String> ours = List.of("controller_", "workqueue_", "informer_", "reflector_", "events_", "scheduler_",
                "node_", "election_");
        Path metrics = Files.writeString(directory.resolve("metrics.txt"), scrape().lines().filter(line -> {
            String name = line.replaceFirst("^# (HELP|TYPE) ", "");
            return ours.stream().anyMatch(name::startsWith);
        }).reduce("", (a, b) -> a + b + "\n"));
        assertThat(Files.readString(metrics)).contains("controller_writes_total", "workqueue_adds_total",
                "informer_objects", "scheduler_pod_scheduling_duration_seconds");
        Process process = new ProcessBuilder(promtool.toString(), "check", "metrics")
                .redirectInput(metrics.toFile()).redirectErrorStream(true)
                .redirectOutput(directory.resolve("promtool.txt").toFile()).start();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("promtool ended").isTrue();
        assertThat(Files.readString(directory.resolve("promtool.txt"))).isEmpty();
        assertThat(process.exitValue()).isZero();
    }
}
