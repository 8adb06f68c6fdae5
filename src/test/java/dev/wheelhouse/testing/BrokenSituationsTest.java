package dev.wheelhouse.testing;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.health.Assessment.Problem;
import dev.wheelhouse.operator.webhook.ScriptedWebhook;
import dev.wheelhouse.runtime.Durations;
import dev.wheelhouse.runtime.SafeYaml;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The rows of {@code health/situations.yaml}: what is broken is a problem within five seconds, with its deepest cause,
 * and none five seconds after the repair.
 */
class BrokenSituationsTest {
    private static final Duration SOON = Duration.ofSeconds(5);

    @TestFactory
    Stream<DynamicTest> brokenSituations() throws IOException {
        try (InputStream table = requireNonNull(getClass().getResourceAsStream("/health/situations.yaml"))) {
            return ModelJson.tree(requireNonNull(SafeYaml.load(table.readAllBytes()))).valueStream()
                    .filter(row -> row.path("name").asString().contains(System.getProperty("situation", "")))
                    .map(row -> DynamicTest.dynamicTest(row.path("name").asString(), () -> check(row)));
        }
    }

    private static void check(JsonNode row) throws Exception {
        try (WholeCluster cluster = new WholeCluster();
                ScriptedWebhook webhook = new ScriptedWebhook("127.0.0.1").respond("/refuse",
                        review -> "{\"allowed\": false, \"status\": {\"message\": \"not on Fridays\"}}")) {
            cluster.advance(Duration.ofSeconds(10));
            assertThat(lines(cluster)).as("problems of a cluster that is well").isEmpty();

            steps(cluster, row.path("first"));
            make(cluster, row.path("make"), webhook);
            cluster.advance(Duration.ofSeconds(1));
            status(cluster, row.path("status"));
            steps(cluster, row.path("steps"));
            cluster.advance(time(row, "after").plus(SOON));
            assertThat(lines(cluster)).usingElementComparator(BrokenSituationsTest::compare)
                    .containsExactlyInAnyOrderElementsOf(
                            row.path("problems").valueStream().map(JsonNode::asString).toList());

            make(cluster, row.path("repair"), webhook);
            steps(cluster, row.path("mend"));
            status(cluster, row.path("repaired"));
            cluster.advance(time(row, "within").plus(SOON));
            assertThat(lines(cluster)).as("problems after the repair").isEmpty();
        }
    }

    private static Duration time(JsonNode row, String field) {
        return requireNonNull(Durations.parse(row.path(field).asString("0s")));
    }

    /** Compares the last part, which may be a part of the cause, and all others as they are. */
    private static int compare(String actual, String expected) {
        int cause = expected.lastIndexOf(" | ");
        return actual.startsWith(expected.substring(0, cause)) && actual.contains(expected.substring(cause + 3))
                ? 0
                : actual.compareTo(expected);
    }

    static List<String> lines(WholeCluster cluster) {
        List<String> lines = new ArrayList<>();
        for (Problem problem : cluster.health().now().problems()) {
            lines.add(problem.item().type().groupResource() + " " + problem.item().key() + " | "
                    + problem.health().level() + " | " + problem.origin().type().groupResource() + " | "
                    + problem.advice().kind() + " | " + problem.advice().who() + " | " + problem.health().cause());
        }
        return lines;
    }

    // ---- what rows say

    private static void make(WholeCluster cluster, JsonNode make, ScriptedWebhook webhook) {
        make.propertyStream().forEach(part -> {
            JsonNode value = part.getValue();
            switch (part.getKey()) {
                case "yaml", "more" -> cluster.apply(value);
                case "deployment" -> workload(cluster, "Deployment", value);
                case "set" -> workload(cluster, value.path("kind").asString(), value);
                case "job" -> cluster.apply("{apiVersion: batch/v1, kind: Job, metadata: {name: dump}, spec: "
                        + job(value) + "}");
                case "cron" -> cluster.apply("{apiVersion: batch/v1, kind: CronJob, metadata: {name: nightly}, spec: "
                        + "{schedule: '* * * * *', jobTemplate: {spec: " + job(value) + "}}}");
                case "node" -> cluster.kubelet(value.asString());
                case "webhook" -> cluster.apply("""
                        {apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration,
                         metadata: {name: hook}, webhooks: [{name: hook.example.com, sideEffects: None,
                          admissionReviewVersions: [v1], clientConfig: %s,
                          rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}]}"""
                        .formatted(value.asString().equals("away")
                                ? "{service: {namespace: default, name: none}}"
                                : webhook.client("/refuse")));
                default -> throw new IllegalArgumentException("a row may not make " + part.getKey());
            }
        });
    }

    private static String job(JsonNode job) {
        return """
                {backoffLimit: %s, activeDeadlineSeconds: %s, template: {spec: {restartPolicy: Never,
                 containers: [{name: dump, image: busybox, command: %s}]}}}""".formatted(or(job, "backoffLimit", "6"),
                or(job, "activeDeadlineSeconds", "null"), job.path("command"));
    }

    private static void workload(WholeCluster cluster, String kind, JsonNode row) {
        if (row.has("claim")) {
            cluster.apply("""
                    {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {storageClassName: %s,
                     accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}"""
                    .formatted(or(row.path("claim"), "storageClassName", "null")));
        }
        String own = switch (kind) {
            case "StatefulSet" -> "replicas: %s, serviceName: web".formatted(or(row, "replicas", "1"));
            case "DaemonSet" -> "minReadySeconds: 0";
            default -> "replicas: %s, paused: %s, progressDeadlineSeconds: %s".formatted(or(row, "replicas", "1"),
                    or(row, "paused", "false"), or(row, "progressDeadlineSeconds", "600"));
        };
        cluster.apply("""
                {apiVersion: apps/v1, kind: %s, metadata: {name: web}, spec: {%s, selector: {matchLabels: {app: web}},
                 template: {metadata: {labels: {app: web}}, spec: {initContainers: %s, nodeSelector: %s, volumes: %s,
                  serviceAccountName: %s, priorityClassName: %s, nodeName: %s, containers: [{name: web, image: %s,
                   command: %s, readinessProbe: %s, resources: {requests: %s}}]}}}}""".formatted(kind, own,
                or(row, "init", "[]"), or(row, "selector", "{}"),
                row.has("claim")
                        ? "[{name: data, persistentVolumeClaim: {claimName: data}}]"
                        : or(row, "volumes", "[]"),
                or(row, "account", "null"), or(row, "priority", "null"), or(row, "node", "null"),
                or(row, "image", "nginx:1.27"), or(row, "command", "[]"), or(row, "probe", "null"),
                or(row, "requests", "{}")));
    }

    private static String or(JsonNode row, String field, String otherwise) {
        return row.has(field) ? row.path(field).toString() : otherwise;
    }

    /** Reports the status of the only pod, as its kubelet does. */
    private static void status(WholeCluster cluster, JsonNode status) {
        if (status.isObject()) {
            cluster.patch("pods", "status", "*", ModelJson.write(Map.of("status", status)));
        }
    }

    private static void steps(WholeCluster cluster, JsonNode steps) {
        steps.forEach(step -> {
            String[] words = step.asString().split(" ", 4);
            @Nullable
            String[] type = words[1].split("/", 2);
            switch (words[0]) {
                case "delete" -> cluster.delete(words[1], words[2]);
                case "patch" -> cluster.patch(requireNonNull(type[0]), type.length > 1 ? type[1] : "", words[2],
                        words[3]);
                default -> throw new IllegalArgumentException("a step may not begin with " + words[0]);
            }
        });
    }
}
