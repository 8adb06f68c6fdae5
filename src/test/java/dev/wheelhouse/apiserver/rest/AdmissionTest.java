package dev.wheelhouse.apiserver.rest;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

import static dev.wheelhouse.apiserver.rest.RestClient.NS;
import static org.assertj.core.api.Assertions.assertThat;

/** Rules that other objects set for a write: quotas, limit ranges, priority classes. */
class AdmissionTest {
    private final RestClient client = new RestClient();

    /** Creates a quota, and writes the usage 0 for each limit into its status, as the controller of quotas does. */
    private void quota(String name, String hard, String scopes) {
        client.post(NS + "resourcequotas",
                "{\"metadata\": {\"name\": \"" + name + "\"}, \"spec\": {\"hard\": " + hard + scopes
                        + "}}");
        ObjectNode status = Json.object();
        status.set("hard", Json.read(hard));
        ObjectNode used = status.putObject("used");
        Json.read(hard).propertyNames().forEach(limit -> used.put(limit, "0"));
        client.merge(NS + "resourcequotas/" + name + "/status",
                "{\"status\": " + status + "}");
        assertThat(client.last.code()).isEqualTo(200);
    }

    private String used(String quota) {
        return client.get(NS + "resourcequotas/" + quota).at("/status/used").toString();
    }

    private JsonNode pod(String name, String resources, String more) {
        return client.post(NS + "pods", "{\"metadata\": {\"name\": \"" + name
                + "\"}, \"spec\": {\"containers\": [{\"name\": \"c\", \"image\": \"i\", \"resources\": " + resources
                + "}]" + more + "}}");
    }

    @Test
    void aQuotaCountsAndRefuses() {
        quota("q", "{\"pods\": \"2\", \"requests.memory\": \"1Gi\"}", "");
        assertThat(Json.text(pod("silent", "{}", ""), "message")).isEqualTo(
                "pods \"silent\" is forbidden: failed quota: q: must specify requests.memory for: c");
        pod("a", "{\"requests\": {\"memory\": \"512Mi\"}}", "");
        assertThat(client.last.code()).isEqualTo(201);
        assertThat(Json.text(pod("b", "{\"requests\": {\"memory\": \"768Mi\"}}", ""), "message")).isEqualTo(
                "pods \"b\" is forbidden: exceeded quota: q, requested: requests.memory=768Mi, "
                        + "used: requests.memory=512Mi, limited: requests.memory=1Gi");
        assertThat(client.last.code()).isEqualTo(403);
        pod("b", "{\"requests\": {\"memory\": \"256Mi\"}}", "");
        assertThat(Json.text(pod("c", "{\"requests\": {\"memory\": \"1Mi\"}}", ""), "message"))
                .endsWith("exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2");
        assertThat(used("q")).isEqualTo("{\"pods\":\"2\",\"requests.memory\":\"768Mi\"}");
        client.delete(NS + "pods/b");
        assertThat(used("q")).as("the controller gives back").startsWith("{\"pods\":\"2\"");
    }

    @Test
    void aQuotaThatTheControllerHasNotSeenLimitsNothingAndOneWithoutAUsageRefuses() {
        client.post(NS + "resourcequotas",
                "{\"metadata\": {\"name\": \"q\"}, \"spec\": {\"hard\": {\"pods\": \"0\"}}}");
        pod("a", "{}", "");
        assertThat(client.last.code()).isEqualTo(201);
        client.merge(NS + "resourcequotas/q/status",
                "{\"status\": {\"hard\": {\"pods\": \"5\", \"services\": \"5\"}}}");
        assertThat(Json.text(pod("b", "{}", ""), "message"))
                .isEqualTo("pods \"b\" is forbidden: status unknown for quota: q, resources: pods");
    }

    @Test
    void aTrialTakesNothingFromAQuotaAndNeitherDoesAWriteThatFails() {
        quota("q", "{\"pods\": \"2\"}", "");
        pod("a", "{}", "");
        assertThat(used("q")).isEqualTo("{\"pods\":\"1\"}");
        String pod = "{\"metadata\": {\"name\": \"%s\"}, \"spec\": {\"containers\": [{\"name\": \"c\", \"image\": "
                + "\"i\"}]}}";
        client.post(NS + "pods?dryRun=All", pod.formatted("trial"));
        assertThat(client.last.code()).isEqualTo(201);
        client.post(NS + "pods", pod.formatted("a"));
        assertThat(client.last.code()).isEqualTo(409);
        assertThat(used("q")).isEqualTo("{\"pods\":\"1\"}");
    }

    @Test
    void anUpdateTakesWhatItAddsAndGivesNothingBack() {
        quota("q", "{\"services.nodeports\": \"2\"}", "");
        String ports = "{\"name\": \"a\", \"port\": 1}";
        client.post(NS + "services", "{\"metadata\": {\"name\": \"s\"}, \"spec\": {\"type\": \"NodePort\", \"ports\": ["
                + ports + "]}}");
        assertThat(used("q")).isEqualTo("{\"services.nodeports\":\"1\"}");
        String patch = "{\"spec\": {\"ports\": [%s]}}";
        String more = ports + ", {\"name\": \"b\", \"port\": 2}";
        client.merge(NS + "services/s", patch.formatted(more));
        assertThat(used("q")).isEqualTo("{\"services.nodeports\":\"2\"}");
        assertThat(Json.text(client.merge(NS + "services/s",
                patch.formatted(more + ", {\"name\": \"c\", \"port\": 3}")), "message")).isEqualTo(
                        "services \"s\" is forbidden: exceeded quota: q, requested: services.nodeports=1, "
                                + "used: services.nodeports=2, limited: services.nodeports=2");
        client.merge(NS + "services/s", patch.formatted(ports));
        assertThat(used("q")).isEqualTo("{\"services.nodeports\":\"2\"}");
    }

    @Test
    void aQuotaCountsWhatItsScopesLetIn() {
        quota("q", "{\"pods\": \"5\"}", """
                , "scopeSelector": {"matchExpressions":
                 [{"scopeName": "CrossNamespacePodAffinity", "operator": "Exists"}]}""");
        String term = "{\"topologyKey\": \"zone\", \"labelSelector\": {\"matchLabels\": {\"a\": \"b\"}}%s}";
        String affinity = ", \"affinity\": {\"podAntiAffinity\": {\"preferredDuringSchedulingIgnoredDuringExecution\": "
                + "[{\"weight\": 1, \"podAffinityTerm\": " + term + "}]}}";

        pod("near", "{}", affinity.formatted(""));
        pod("far", "{}", affinity.formatted(", \"namespaces\": [\"other\"]"));
        pod("anywhere", "{}", affinity.formatted(", \"namespaceSelector\": {}"));

        assertThat(used("q")).isEqualTo("{\"pods\":\"2\"}");
    }

    @Test
    void aQuotaOfBestEffortPodsLeavesOutOneWhoseResourcesAreThoseOfThePod() {
        quota("q", "{\"pods\": \"1\"}", ", \"scopes\": [\"BestEffort\"]");
        JsonNode pod = client.post(NS + "pods", """
                {"metadata": {"name": "a"}, "spec": {"resources": {"limits": {"cpu": "1", "memory": "1Gi"}},
                 "containers": [{"name": "c", "image": "i"}]}}""");

        assertThat(pod.at("/status/qosClass").asString()).isEqualTo("Guaranteed");
        assertThat(used("q")).isEqualTo("{\"pods\":\"0\"}");
    }

    @Test
    void aQuotaCountsObjectsOfAnyKind() {
        quota("q", "{\"count/deployments.apps\": \"0\", \"services.nodeports\": \"1\"}", "");
        JsonNode refused = client.post("/apis/apps/v1/namespaces/default/deployments", """
                {"metadata": {"name": "d"}, "spec": {"selector": {"matchLabels": {"a": "b"}}, "template":
                 {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}}""");
        assertThat(Json.text(refused, "message")).startsWith("deployments.apps \"d\" is forbidden: exceeded quota: q");
        client.post(NS + "services", "{\"metadata\": {\"name\": \"s\"}, \"spec\": {\"type\": \"NodePort\", \"ports\": "
                + "[{\"name\": \"a\", \"port\": 1}, {\"name\": \"b\", \"port\": 2}]}}");
        assertThat(client.last.code()).isEqualTo(403);
    }

    @Test
    void theCreationOfAnObjectThatNoControllerHandlesIsWarnedOf() {
        client.rest.warnOfUnhandled(Map.of("services", "endpointslice-controller does not run: Services get nothing."));
        String service = "{\"metadata\": {\"generateName\": \"s\"}, \"spec\": {\"ports\": [{\"port\": 1}]}}";

        client.post(NS + "services", service);
        assertThat(client.last.warnings())
                .containsExactly("endpointslice-controller does not run: Services get nothing.");
        client.post(NS + "configmaps", "{\"metadata\": {\"name\": \"m\"}}");
        assertThat(client.last.warnings()).isEmpty();
    }

    @Test
    void aLimitRangeGivesDefaultsAndBounds() {
        client.post(NS + "limitranges", """
                {"metadata": {"name": "l"}, "spec": {"limits": [{"type": "Container", "max": {"cpu": "1"},
                 "default": {"cpu": "500m"}, "defaultRequest": {"cpu": "100m"}}]}}""");
        JsonNode made = pod("a", "{}", "");
        assertThat(made.at("/spec/containers/0/resources/requests/cpu").asString()).isEqualTo("100m");
        assertThat(made.at("/spec/containers/0/resources/limits/cpu").asString()).isEqualTo("500m");
        assertThat(Json.text(made, "metadata", "annotations", "kubernetes.io/limit-ranger")).isEqualTo(
                "LimitRanger plugin set: cpu request for container c; cpu limit for container c");
        assertThat(Json.text(pod("b", "{\"limits\": {\"cpu\": \"2\"}}", ""), "message")).isEqualTo(
                "pods \"b\" is forbidden: maximum cpu usage per Container is 1, but limit is 2");
    }

    @Test
    void defaultsOfALimitRangeThatFitIntoNoPodAreRefusedBeforeTheyAreSet() {
        String amounts = IntStream.range(0, 5000).mapToObj(i -> "\"x.io/r" + i + "\": \"1\"")
                .collect(Collectors.joining(", "));
        client.post(NS + "limitranges", "{\"metadata\": {\"name\": \"l\"}, \"spec\": {\"limits\": [{\"type\": "
                + "\"Container\", \"default\": {" + amounts + "}}]}}");
        assertThat(client.last.code()).isEqualTo(201);
        String containers = IntStream.range(0, 10_000)
                .mapToObj(i -> "{\"name\": \"c" + i + "\", \"image\": \"i\"}").collect(Collectors.joining(", "));
        JsonNode refused = client.post(NS + "pods",
                "{\"metadata\": {\"name\": \"a\"}, \"spec\": {\"containers\": [" + containers + "]}}");

        assertThat(Json.text(refused, "message")).startsWith("etcdserver: request is too large: the LimitRanges of the "
                + "namespace give the pod 100000000 amounts");
    }

    @Test
    void podsHaveTheirClassesPriority() {
        JsonNode made = pod("a", "{}", ", \"priorityClassName\": \"system-node-critical\"");
        assertThat(made.at("/spec/priority").longValue()).isEqualTo(2_000_001_000L);
        assertThat(Json.text(pod("b", "{}", ", \"priorityClassName\": \"none\""), "message"))
                .isEqualTo("pods \"b\" is forbidden: no PriorityClass with name none was found");
        String first = "{\"metadata\": {\"name\": \"%s\"}, \"value\": 5, \"globalDefault\": true}";
        client.post("/apis/scheduling.k8s.io/v1/priorityclasses", first.formatted("one"));
        assertThat(pod("c", "{}", "").at("/spec/priority").intValue()).isEqualTo(5);
        client.post("/apis/scheduling.k8s.io/v1/priorityclasses", first.formatted("two"));
        assertThat(client.last.code()).isEqualTo(403);
    }

    @Test
    void aQuotaOfAttributesClassesCountsTheClaimsThatHaveThem() {
        quota("gold", "{\"persistentvolumeclaims\": \"1\", \"count/pods\": \"1\"}", """
                , "scopeSelector": {"matchExpressions": [{"scopeName": "VolumeAttributesClass", "operator": "In",
                  "values": ["gold"]}]}""");
        String claim = """
                {"metadata": {"name": "%s"}, "spec": {"accessModes": ["ReadWriteOnce"],
                 "volumeAttributesClassName": "%s",
                 "resources": {"requests": {"storage": "1Gi"}}}}""";
        client.post(NS + "persistentvolumeclaims", claim.formatted("a", "silver"));
        assertThat(client.last.code()).isEqualTo(201);
        client.post(NS + "persistentvolumeclaims", claim.formatted("b", "gold"));
        assertThat(client.last.code()).isEqualTo(201);
        assertThat(Json.text(client.post(NS + "persistentvolumeclaims", claim.formatted("c", "gold")), "message"))
                .endsWith("exceeded quota: gold, requested: persistentvolumeclaims=1, used: persistentvolumeclaims=1, "
                        + "limited: persistentvolumeclaims=1");
        pod("p", "{}", "");
        assertThat(used("gold")).isEqualTo("{\"count/pods\":\"0\",\"persistentvolumeclaims\":\"1\"}");
    }

    @Test
    void textsOfASecretBecomeData() {
        JsonNode secret = client.post(NS + "secrets", "{\"metadata\": {\"name\": \"s\"}, \"data\": {\"a\": \"eA==\"}, "
                + "\"stringData\": {\"a\": \"y\", \"b\": \"z\"}}");
        assertThat(secret.get("data").toString()).isEqualTo("{\"a\":\"eQ==\",\"b\":\"eg==\"}");
        assertThat(secret.has("stringData")).isFalse();
    }

    @Test
    void anAutoscalerOfVersionOneIsOneOfVersionTwo() {
        String hpas = "/namespaces/default/horizontalpodautoscalers";
        client.post("/apis/autoscaling/v1" + hpas, """
                {"metadata": {"name": "h"}, "spec": {"maxReplicas": 3, "targetCPUUtilizationPercentage": 70,
                 "scaleTargetRef": {"kind": "Deployment", "name": "d", "apiVersion": "apps/v1"}}}""");
        assertThat(client.get("/apis/autoscaling/v2" + hpas + "/h").at("/spec/metrics").toString()).isEqualTo(
                "[{\"type\":\"Resource\",\"resource\":{\"name\":\"cpu\",\"target\":{\"type\":\"Utilization\","
                        + "\"averageUtilization\":70}}}]");
        JsonNode first = client.get("/apis/autoscaling/v1" + hpas + "/h");
        assertThat(first.at("/spec/targetCPUUtilizationPercentage").intValue()).isEqualTo(70);
        assertThat(first.at("/spec").has("metrics")).isFalse();
    }

    @Test
    void aReplacedPodKeepsItsPriorityAndTolerations() {
        JsonNode made = pod("a", "{}", ", \"serviceAccountName\": \"default\", \"serviceAccount\": \"default\"");
        JsonNode replaced = client.call("PUT", NS + "pods/a", "application/json", """
                {"metadata": {"name": "a", "labels": {"new": "yes"}}, "spec": {"serviceAccountName": "default",
                 "serviceAccount": "default", "containers": [{"name": "c", "image": "i", "resources": {}}]}}""");
        assertThat(client.last.code()).as(replaced.toString()).isEqualTo(200);
        assertThat(Json.text(replaced, "metadata", "labels", "new")).isEqualTo("yes");
        assertThat(replaced.at("/spec/tolerations")).isEqualTo(made.at("/spec/tolerations"));
    }

    @Test
    void aNodeSaysItsStatusWhenItRegisters() {
        JsonNode node = client.post("/api/v1/nodes", "{\"metadata\": {\"name\": \"n\"}, \"status\": {\"capacity\": "
                + "{\"cpu\": \"4\"}}}");
        assertThat(node.at("/status/capacity/cpu").asString()).isEqualTo("4");
    }

    @Test
    void aStrategicPatchOfTheWrongTypeIsRefusedInUpstreamsWords() {
        pod("a", "{}", "");
        JsonNode refused = client.call("PATCH", NS + "pods/a", "application/strategic-merge-patch+json",
                "{\"metadata\": {\"labels\": \"invalid\"}}");
        assertThat(client.last.code()).isEqualTo(422);
        assertThat(Json.text(refused, "message")).isEqualTo(" \"\" is invalid: patch: Invalid value: "
                + "\"map[metadata:map[labels:invalid]]\": cannot restore map from string");
    }

    @Test
    void aClusterHasTheRolesThatPeopleBind() {
        client.get("/apis/rbac.authorization.k8s.io/v1/clusterroles/cluster-admin");
        assertThat(client.last.code()).isEqualTo(200);
    }
}
