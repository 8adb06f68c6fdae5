package dev.wheelhouse.apiserver.rest;

import java.time.Duration;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.resources.RuntimeConfig;

import static org.assertj.core.api.Assertions.assertThat;

@DisplayName("The metrics APIs")
class MetricsApisTest {
    private static final String PODS = "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods";
    private static final String NODES = "/apis/metrics.k8s.io/v1beta1/nodes";
    private static final String CUSTOM = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default";
    private static final String EXTERNAL = "/apis/external.metrics.k8s.io/v1beta1/namespaces/default";

    private final RestClient rest = new RestClient(Security.none(), RuntimeConfig.parse(String.join(",",
            RuntimeConfig.RESOURCE_METRICS, RuntimeConfig.CUSTOM_METRICS, RuntimeConfig.EXTERNAL_METRICS)));

    private void pod(String name, String annotations, String owner) {
        rest.post(RestClient.NS + "pods", """
                {"metadata": {"name": "%s", "labels": {"app": "web", "pod": "%s"}, "annotations": {%s},
                 "ownerReferences": [%s]},
                 "spec": {"nodeName": "node-1", "containers": [{"name": "main", "image": "i",
                   "resources": {"requests": {"cpu": "200m", "memory": "64Mi"}}}, {"name": "side", "image": "i"}]}}"""
                .formatted(name, name, annotations, owner));
        assertThat(rest.last.code()).isEqualTo(201);
        run(name, "Running", "main", "side");
    }

    private void run(String pod, String phase, String... running) {
        StringBuilder statuses = new StringBuilder();
        for (String container : running) {
            statuses.append(statuses.isEmpty() ? "" : ", ").append("""
                    {"name": "%s", "ready": true, "image": "i", "imageID": "", "restartCount": 0,
                     "state": {"running": {"startedAt": "%s"}}}""".formatted(container, rest.clock.now()));
        }
        rest.merge(RestClient.NS + "pods/" + pod + "/status",
                "{\"status\": {\"phase\": \"%s\", \"containerStatuses\": [%s]}}".formatted(phase, statuses));
        assertThat(rest.last.code()).isEqualTo(200);
    }

    private static String set(String uid) {
        return """
                {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "%s", "controller": true}"""
                .formatted(uid);
    }

    private String usage(String pod, String container, String resource) {
        for (JsonNode each : rest.get(PODS + "/" + pod).path("containers")) {
            if (Json.text(each, "name").equals(container)) {
                return Json.text(each, "usage", resource);
            }
        }
        return "";
    }

    @Test
    void podsUseHalfOfTheirRequestsByDefault() {
        pod("web-1", "", "");
        rest.clock.advance(Duration.ofSeconds(15));
        assertThat(usage("web-1", "main", "cpu")).isEqualTo("100m");
        assertThat(usage("web-1", "main", "memory")).isEqualTo("32Mi");
        assertThat(usage("web-1", "side", "cpu")).isEqualTo("1m");
        assertThat(usage("web-1", "side", "memory")).isEqualTo("16Mi");
    }

    @Test
    void annotationsSayTheUsageOfAllContainersOrOfOne() {
        pod("web-1", "\"hollow.wheelhouse.dev/cpu\": \"50m\", \"hollow.wheelhouse.dev/memory.main\": \"150%\"", "");
        rest.clock.advance(Duration.ofSeconds(15));
        assertThat(usage("web-1", "main", "cpu")).isEqualTo("50m");
        assertThat(usage("web-1", "side", "cpu")).isEqualTo("50m");
        assertThat(usage("web-1", "main", "memory")).isEqualTo("96Mi");
        assertThat(usage("web-1", "side", "memory")).isEqualTo("16Mi");
    }

    @Test
    void aPodHasMetricsOnceAContainerHasRunForFifteenSeconds() {
        pod("web-1", "", "");
        rest.clock.advance(Duration.ofSeconds(14));
        assertThat(rest.get(PODS).path("items")).isEmpty();
        assertThat(rest.get(PODS + "/web-1").path("message").asString())
                .isEqualTo("pods.metrics.k8s.io \"web-1\" not found");
        rest.clock.advance(Duration.ofSeconds(1));
        JsonNode metrics = rest.get(PODS).path("items").path(0);
        assertThat(Json.text(metrics, "metadata", "name")).isEqualTo("web-1");
        assertThat(Json.text(metrics, "metadata", "labels", "app")).isEqualTo("web");
        assertThat(Json.text(metrics, "timestamp")).isEqualTo(rest.clock.now().toString());
        assertThat(Json.text(metrics, "window")).isEqualTo("15s");

        run("web-1", "Running", "main");
        rest.merge(RestClient.NS + "pods/web-1/status", """
                {"status": {"containerStatuses": [{"name": "main", "ready": false, "image": "i", "imageID": "",
                 "restartCount": 0, "state": {"terminated": {"exitCode": 1}}}]}}""");
        assertThat(rest.get(PODS).at("/items/0/containers")).as("a container that has ended").hasSize(1);
        run("web-1", "Failed");
        assertThat(rest.get(PODS).path("items")).isEmpty();
    }

    @Test
    void podsAreSelectedByLabelsAndFields() {
        pod("web-1", "", "");
        pod("web-2", "", "");
        rest.clock.advance(Duration.ofSeconds(15));
        assertThat(rest.get(PODS + "?labelSelector=pod%3Dweb-2").at("/items/0/metadata/name").asString())
                .isEqualTo("web-2");
        assertThat(rest.get(PODS + "?fieldSelector=metadata.name%3Dweb-1").path("items")).hasSize(1);
        assertThat(rest.get("/apis/metrics.k8s.io/v1beta1/pods").path("items")).hasSize(2);
        rest.get(PODS + "?labelSelector=%21%21");
        assertThat(rest.last.code()).isEqualTo(400);
    }

    @Test
    void aNodeUsesWhatItsPodsUse() {
        rest.post("/api/v1/nodes", "{\"metadata\": {\"name\": \"node-1\"}}");
        rest.post("/api/v1/nodes", "{\"metadata\": {\"name\": \"node-2\"}}");
        pod("web-1", "", "");
        pod("web-2", "", "");
        rest.clock.advance(Duration.ofSeconds(15));
        assertThat(rest.get(NODES).path("items")).hasSize(2);
        assertThat(rest.get(NODES + "/node-1").path("usage")).hasToString("{\"cpu\":\"202m\",\"memory\":\"96Mi\"}");
        assertThat(rest.get(NODES + "/node-2").path("usage")).hasToString("{\"cpu\":\"0\",\"memory\":\"0\"}");
        rest.get(NODES + "/node-3");
        assertThat(rest.last.code()).isEqualTo(404);
    }

    @Test
    void aSharedLoadIsDividedAmongTheRunningPodsOfAController() {
        JsonNode set = rest.post("/apis/apps/v1/namespaces/default/replicasets", """
                {"metadata": {"name": "web"}, "spec": {"selector": {"matchLabels": {"app": "web"}}, "template":
                 {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}}""");
        String owner = set(Json.text(set, "metadata", "uid"));
        rest.clock.advance(Duration.ofSeconds(30));
        String load = "\"hollow.wheelhouse.dev/cpu.main\": \"shared steps(600m, 1m: 900m)\"";
        pod("web-1", load, owner);
        pod("web-2", load, owner);
        pod("other", load, "");
        rest.clock.advance(Duration.ofSeconds(15));
        assertThat(usage("web-1", "main", "cpu")).isEqualTo("300m");
        assertThat(usage("other", "main", "cpu")).as("it has no controller").isEqualTo("600m");
        rest.clock.advance(Duration.ofSeconds(15));
        assertThat(usage("web-1", "main", "cpu")).as("a minute after the controller's creation").isEqualTo("450m");
        assertThat(usage("other", "main", "cpu")).as("half a minute after its own").isEqualTo("600m");
        run("web-2", "Succeeded");
        assertThat(usage("web-1", "main", "cpu")).isEqualTo("900m");
    }

    @Test
    void anObjectHasTheCustomMetricsOfItsAnnotations() {
        pod("web-1", "\"metric.hollow.wheelhouse.dev/requests\": \"30\"", "");
        pod("web-2", "\"metric.hollow.wheelhouse.dev/requests\": \"verb=GET 7500m; verb=PUT 1\"", "");
        pod("web-3", "", "");
        JsonNode one = rest.get(CUSTOM + "/pods/web-1/requests");
        assertThat(Json.text(one, "kind")).isEqualTo("MetricValueList");
        assertThat(Json.text(one, "apiVersion")).isEqualTo("custom.metrics.k8s.io/v1beta2");
        assertThat(one.at("/items/0/describedObject/kind").asString()).isEqualTo("Pod");
        assertThat(one.at("/items/0/describedObject/name").asString()).isEqualTo("web-1");
        assertThat(one.at("/items/0/metric/name").asString()).isEqualTo("requests");
        assertThat(one.at("/items/0/value").asString()).isEqualTo("30");
        assertThat(rest.get(CUSTOM + "/pods/*/requests?labelSelector=app%3Dweb").path("items")).hasSize(3);
        JsonNode puts = rest.get(CUSTOM + "/pods/*/requests?metricLabelSelector=verb%3DPUT").path("items");
        assertThat(puts).hasSize(1);
        assertThat(puts.at("/0/metric/selector/matchLabels/verb").asString()).isEqualTo("PUT");
        assertThat(rest.get(CUSTOM + "/pods/web-3/requests").path("message").asString())
                .isEqualTo("the server could not find the metric requests for pods web-3");
        rest.get(CUSTOM + "/gadgets.example.com/x/requests");
        assertThat(rest.last.code()).isEqualTo(404);
    }

    @Test
    void aNamespaceHasMetricsOfItsOwnAndExternalOnes() {
        rest.merge("/api/v1/namespaces/default", """
                {"metadata": {"annotations": {"metric.hollow.wheelhouse.dev/jobs": "12",
                 "external-metric.hollow.wheelhouse.dev/queue": "queue=mail 30; queue=orders 5"}}}""");
        assertThat(rest.get(CUSTOM + "/metrics/jobs").at("/items/0/describedObject/kind").asString())
                .isEqualTo("Namespace");
        assertThat(rest.get(EXTERNAL + "/queue").path("items")).hasSize(2);
        JsonNode mail = rest.get(EXTERNAL + "/queue?labelSelector=queue%3Dmail").path("items");
        assertThat(mail).hasSize(1);
        assertThat(mail.at("/0/metricName").asString()).isEqualTo("queue");
        assertThat(mail.at("/0/metricLabels/queue").asString()).isEqualTo("mail");
        assertThat(mail.at("/0/value").asString()).isEqualTo("30");
        assertThat(rest.get(EXTERNAL + "/nothing").path("items")).isEmpty();
    }

    @Test
    void theyAreInDiscoveryAndCannotBeWrittenOrWatched() {
        assertThat(rest.get("/apis").toString()).contains("\"metrics.k8s.io\"", "\"custom.metrics.k8s.io\"",
                "\"external.metrics.k8s.io\"");
        assertThat(rest.get("/apis/metrics.k8s.io/v1beta1").at("/resources/1/kind").asString()).isEqualTo("PodMetrics");
        assertThat(rest.get("/apis/custom.metrics.k8s.io").at("/preferredVersion/version").asString())
                .isEqualTo("v1beta2");
        for (String path : new String[]{PODS, CUSTOM + "/pods/web-1/requests", EXTERNAL + "/queue"}) {
            rest.post(path, "{}");
            assertThat(rest.last.code()).isEqualTo(405);
        }
        rest.get(PODS + "?watch=true");
        assertThat(rest.last.code()).isEqualTo(405);
        rest.get(PODS + "/web-1/status");
        assertThat(rest.last.code()).isEqualTo(404);
        rest.get("/apis/metrics.k8s.io/v1/nodes");
        assertThat(rest.last.code()).isEqualTo(404);
    }
}
