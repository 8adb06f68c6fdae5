package dev.wheelhouse;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.models.V1Deployment;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.chart.Chart;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.PatchType;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A real Prometheus scrapes the running service as the chart's ServiceMonitor says, and answers the queries of
 * dashboards and alerts. {@code -Ddashboard=FILE} asks the queries of a Grafana dashboard too.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(3600)
@Tag("processes")
class PrometheusTest {
    private static final Duration SOON = Duration.ofMinutes(4);
    private static final String JOB = "job=\"kube-controller-manager\"";
    private static final String SELECTED = "cluster=\"$cluster\", " + JOB + ", instance=~\"$instance\"";

    /** The panels of kube-prometheus' dashboard "Kubernetes / Controller Manager", with their queries. */
    private static final Map<String, List<String>> CONTROLLER_MANAGER = panels();

    @TempDir
    private static Path directory;

    private RunningService service;
    private Prometheus prometheus;
    private int looks;

    private static Map<String, List<String>> panels() {
        Map<String, List<String>> panels = new LinkedHashMap<>();
        panels.put("Up", List.of("sum(up{cluster=\"$cluster\", " + JOB + "})"));
        panels.put("Work Queue Add Rate", List.of("sum(rate(workqueue_adds_total{" + SELECTED
                + "}[$__rate_interval])) by (cluster, instance, name)"));
        panels.put("Work Queue Depth", List.of("sum(rate(workqueue_depth{" + SELECTED
                + "}[$__rate_interval])) by (cluster, instance, name)"));
        panels.put("Work Queue Latency", List.of("histogram_quantile(0.99, sum(rate("
                + "workqueue_queue_duration_seconds_bucket{" + SELECTED
                + "}[$__rate_interval])) by (cluster, instance, name, le))"));
        List<String> codes = new ArrayList<>();
        for (int digit = 2; digit <= 5; digit++) {
            codes.add("sum(rate(rest_client_requests_total{" + JOB + ", instance=~\"$instance\",code=~\"" + digit
                    + "..\"}[$__rate_interval]))");
        }
        panels.put("Kube API Request Rate", codes);
        for (String verb : List.of("POST", "GET")) {
            panels.put(verb + " Request Latency 99th Quantile", List.of("histogram_quantile(0.99, sum(rate("
                    + "rest_client_request_duration_seconds_bucket{" + SELECTED + ", verb=\"" + verb
                    + "\"}[$__rate_interval])) by (verb, le))"));
        }
        panels.put("Memory", List.of("process_resident_memory_bytes{" + SELECTED + "}"));
        panels.put("CPU usage", List.of("rate(process_cpu_seconds_total{" + SELECTED + "}[$__rate_interval])"));
        panels.put("Goroutines", List.of("go_goroutines{" + SELECTED + "}"));
        return panels;
    }

    @BeforeAll
    void scrape() throws Exception {
        service = RunningService.start(directory, "--wheelhouse.leader-election.enabled=true",
                "--wheelhouse.leader-election.lease-duration=120s",
                "--wheelhouse.leader-election.renew-deadline=100s");
        prometheus = Prometheus.startOrSkip(directory, config());
        eventually("two scrapes", SOON,
                () -> !prometheus.query("count_over_time(up[1m]) > 1 and up == 1").isEmpty());
        new AppsV1Api(service.api()).createNamespacedDeployment("default", Workloads.web()).execute();
    }

    @AfterAll
    void stop() {
        if (prometheus != null) {
            prometheus.close();
        }
        if (service != null) {
            service.close();
        }
    }

    /** The chart where Wheelhouse has taken the place of kube-controller-manager, and therefore its job. */
    private static List<JsonNode> chart() {
        return Chart.render(directory, """
                wheelhouse: {manage: takeover}
                metrics: {serviceMonitor: {enabled: true}, prometheusRule: {enabled: true}, dashboard: {enabled: true}}
                """);
    }

    /** The scrape that the Prometheus operator makes of the chart's ServiceMonitor and Service. */
    private String config() {
        List<JsonNode> documents = chart();
        JsonNode monitor = Chart.of(documents, "ServiceMonitor").path("spec");
        String job = Chart.of(documents, "Service").at("/metadata/labels")
                .path(monitor.path("jobLabel").asString()).asString();
        try {
            Files.writeString(directory.resolve("alerts.yaml"),
                    Chart.of(documents, "PrometheusRule").path("spec").toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return """
                global: {scrape_interval: 1s, evaluation_interval: 1s}
                rule_files: [alerts.yaml]
                scrape_configs:
                  - job_name: serviceMonitor/ops/wh/0
                    metrics_path: %s
                    static_configs: [{targets: ["%s"], labels: {namespace: ops, pod: wh-1, service: wh}}]
                    relabel_configs: [{target_label: job, replacement: %s}]
                """.formatted(monitor.at("/endpoints/0/path").asString(),
                URI.create(service.actuator()).getAuthority(), job);
    }

    private boolean hasData(String query) throws IOException, InterruptedException {
        for (JsonNode result : prometheus.query(query.replace("$cluster", "").replace("$instance", ".+")
                .replace("$__rate_interval", "30s").replaceAll("\\$\\{?\\w+}?", ".*"))) {
            if (!result.at("/value/1").asString().equals("NaN")) {
                return true;
            }
        }
        return false;
    }

    /** A quantile has data while something happens, so pods come and go meanwhile. */
    private void showData(Map<String, List<String>> panels) {
        var deployments = service.bean(KubeClient.class).resource(ResourceType.DEPLOYMENTS, V1Deployment.class);
        panels.forEach((panel, queries) -> eventually("the panel \"" + panel + "\" has data: " + queries,
                SOON, () -> {
                    deployments.patch(ObjectKey.of("default", "web"), "", PatchType.MERGE,
                            "{\"spec\": {\"replicas\": " + (2 + ++looks % 3) + "}}");
                    for (String query : queries) {
                        if (hasData(query)) {
                            return true;
                        }
                    }
                    return false;
                }));
    }

    @Test
    void allTenPanelsOfTheControllerManagersDashboardHaveData() {
        assertThat(CONTROLLER_MANAGER).hasSize(10);
        showData(CONTROLLER_MANAGER);
    }

    @Test
    void allPanelsOfTheChartsDashboardHaveData() {
        Map<String, List<String>> panels = panelsOf(Chart.of(chart(), "ConfigMap").at("/data/wheelhouse.json")
                .asString());
        // Nothing fails, and a collection of garbage may not have been needed.
        panels.remove("Time in garbage collection");

        assertThat(panels).hasSizeGreaterThan(15);
        showData(panels);
    }

    @Test
    void allPanelsOfTheGivenDashboardHaveData() throws IOException {
        String file = System.getProperty("dashboard");
        if (file != null) {
            showData(panelsOf(Files.readString(Path.of(file))));
        }
    }

    /** The titles and queries of a Grafana dashboard. */
    private static Map<String, List<String>> panelsOf(String dashboard) {
        Map<String, List<String>> panels = new LinkedHashMap<>();
        for (JsonNode panel : JsonMapper.shared().readTree(dashboard).findParents("targets")) {
            List<String> queries = new ArrayList<>();
            panel.path("targets").forEach(target -> queries.add(target.path("expr").asString()));
            panels.put(panel.path("title").asString(), queries);
        }
        return panels;
    }

    /** Alerts of the community that concern a controller manager: KubeClientErrors and KubeVersionMismatch. */
    @Test
    void theCommunitysAlertsHaveDataAndStayQuiet() throws Exception {
        eventually("requests by namespace", SOON,
                () -> hasData("sum(rate(rest_client_requests_total{" + JOB
                        + "}[30s])) by (cluster, instance, job, namespace)"));
        assertThat(hasData("absent(up{" + JOB + "})")).as("KubeControllerManagerDown").isFalse();
        String versions = "count by (git_version, cluster) (label_replace(kubernetes_build_info{job!~"
                + "\"kube-dns|coredns\"},\"git_version\",\"$1\",\"git_version\",\"(v[0-9]*.[0-9]*).*\"))";
        // A scrape that takes longer than a second fails, and the figure is absent until the next one.
        eventually("the version is known", SOON, () -> prometheus.query(versions).path(0)
                .at("/metric/git_version").asString().equals("v1.36"));
        assertThat(prometheus.query("count by (cluster) (" + versions + ") > 1")).isEmpty();
    }

    @Test
    void theChartsAlertsAreEvaluatedWithoutAnErrorAndNoneFires() throws Exception {
        eventually("the rules were evaluated", SOON, () -> !prometheus
                .read("/api/v1/rules").at("/data/groups/0/rules/0/lastEvaluation").asString().startsWith("0001"));
        for (JsonNode rule : prometheus.read("/api/v1/rules").at("/data/groups/0/rules")) {
            assertThat(rule.path("health").asString()).as("%s", rule).isEqualTo("ok");
            assertThat(rule.path("state").asString()).as("%s", rule).isNotEqualTo("firing");
        }
    }
}
