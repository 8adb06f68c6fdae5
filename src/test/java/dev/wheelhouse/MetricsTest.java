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
@Timeout(900)
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

    private static final Duration SOON = Duration.ofMinutes(2);

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
        eventually("a pod was bound and another fits nowhere", SOON,
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
                    .timeout(Duration.ofMinutes(2)).build(), HttpResponse.BodyHandlers.ofString()).body();
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
        // An object may be seen before its writer has counted the answer.
        eventually("both ReplicaSets are counted", SOON, () -> value("controller_writes_total",
                "deployment-controller", "create", "replicasets.apps", "\"201\"") == 2);
        eventually("both pods are counted", SOON, () -> value("controller_writes_total", "replicaset-controller",
                "create", "\"pods\"", "\"201\"") == 2);
    }

    /** The JVM, Tomcat, the log and the system have Micrometer's metrics. */
    @Test
    void thePageOfMetricsHasEachMetricAndNoClassOfJavaIsInALabel() throws Exception {
        String page = Files.readString(Path.of("docs/monitoring.md"));
        String metrics = scrape();

        assertThat(metrics.lines().filter(line -> line.startsWith("# TYPE ")).map(line -> line.split(" ")[2])
                .filter(name -> !name.matches("(jvm|tomcat|logback|system|disk|executor|http_server|application)_.*"))
                .filter(name -> !page.contains("`" + name.replaceFirst("_max$", "") + "`")
                        && !page.contains("`" + name + "`")))
                .isEmpty();
        assertThat(metrics.lines().filter(line -> line.matches("(informer|reflector|workqueue|controller|rest)_.*"))
                .map(line -> line.replace("ClusterRoleAggregator", "upstream's name"))
                .filter(line -> line.matches(".*=\"[^\"]*[a-z][A-Z][^\"]*\".*"))).isEmpty();
    }

    @Test
    void theQueuesHaveUpstreamsNames() throws Exception {
        List<String> names = scrape().lines().filter(line -> line.startsWith("workqueue_depth{"))
                .map(line -> line.replaceFirst(".*[{,]name=\"([^\"]*)\".*", "$1")).toList();

        assertThat(names).contains("deployment", "replicaset", "replicationmanager", "statefulset", "daemonset", "job",
                "job_orphan_pod", "cronjob", "ttl_jobs_to_delete", "horizontalpodautoscaler", "disruption",
                "stale_pod_disruption", "namespace", "garbage_collector_attempt_to_delete",
                "garbage_collector_attempt_to_orphan", "claims", "ephemeral_volume", "pvcprotection", "pvprotection",
                "serviceaccount", "serviceaccount_tokens_service", "root_ca_cert_publisher", "ClusterRoleAggregator",
                "certificate");
        assertThat(names).filteredOn(name -> name.endsWith("-controller"))
                .containsExactlyInAnyOrder("pod-garbage-collector-controller",
                        "certificatesigningrequest-cleaner-controller",
                        "certificatesigningrequest-signing-controller", "device-taint-eviction-controller",
                        "legacy-serviceaccount-token-cleaner-controller", "persistentvolume-attach-detach-controller");
    }

    @Test
    void theBucketsAreUpstreams() throws Exception {
        assertThat(bounds("rest_client_request_duration_seconds", "verb=\"POST\"")).containsExactly(0.005, 0.025, 0.1,
                0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0);
        assertThat(bounds("rest_client_response_size_bytes", "verb=\"GET\"")).containsExactly(64.0, 256.0, 512.0,
                1024.0, 4096.0, 16384.0, 65536.0, 262144.0, 1048576.0, 4194304.0, 16777216.0);
        assertThat(bounds("workqueue_queue_duration_seconds", "name=\"deployment\"")).containsExactly(1e-8, 1e-7, 1e-6,
                1e-5, 1e-4, 1e-3, 0.01, 0.1, 1.0, 10.0);
        assertThat(bounds("informer_processing_latency_seconds", "resource=\"deployments\",")).containsSequence(0.001,
                0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0);
    }

    /** The finite bounds of a histogram's buckets, which are the same for every host. */
    private List<Double> bounds(String name, String label) throws Exception {
        return scrape().lines().filter(line -> line.startsWith(name + "_bucket{") && line.contains(label))
                .map(line -> line.replaceFirst(".*[{,]le=\"([^\"]*)\".*", "$1")).filter(bound -> !bound.equals("+Inf"))
                .map(Double::valueOf).distinct().toList();
    }

    /** Most types of a cluster have no objects. Their caches share one set of series. */
    @Test
    void typesWithoutObjectsHaveNoSeriesOfTheirOwn() throws Exception {
        assertThat(value("informer_synced", "resource=\"*\"")).isEqualTo(1);
        assertThat(value("informer_objects", "resource=\"deployments\"")).isEqualTo(2);
        String metrics = scrape();
        assertThat(metrics).doesNotContain("resource=\"cronjobs\"", "resource=\"customresourcedefinitions\"");
        assertThat(metrics.lines().filter(line -> line.matches("(informer|reflector)_.*")).count()).isLessThan(2000);
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
                "leader_", "rest_client_", "running_", "process_resident", "process_cpu_seconds");
        Path metrics = Files.writeString(directory.resolve("metrics.txt"), scrape().lines().filter(line -> {
            String name = line.replaceFirst("^# (HELP|TYPE) ", "");
            return ours.stream().anyMatch(name::startsWith);
        }).reduce("", (a, b) -> a + b + "\n"));
        assertThat(Files.readString(metrics)).contains("controller_writes_total", "workqueue_adds_total",
                "informer_objects", "scheduler_pod_scheduling_duration_seconds");
        Process process = new ProcessBuilder(promtool.toString(), "check", "metrics")
                .redirectInput(metrics.toFile()).redirectErrorStream(true)
                .redirectOutput(directory.resolve("promtool.txt").toFile()).start();
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).as("promtool ended").isTrue();
        assertThat(Files.readString(directory.resolve("promtool.txt"))).isEmpty();
        assertThat(process.exitValue()).isZero();
    }
}
