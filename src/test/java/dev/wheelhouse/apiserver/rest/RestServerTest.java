package dev.wheelhouse.apiserver.rest;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.WatchFeed;

import static dev.wheelhouse.apiserver.rest.RestClient.NS;
import static org.assertj.core.api.Assertions.assertThat;

/** Requests that need more than a transcript ({@link TranscriptTest}): other threads, other stores, and many values. */
class RestServerTest {
    private final RestClient client = new RestClient();

    @Test
    void whereAPersonTypesTheRequestTheAnswerIsIndentedAsGoDoesIt() {
        ApiRequest request = ApiRequest.of("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", """
                {"spec": {"nonResourceAttributes": {"verb": "get", "path": "/"}}}""".getBytes(StandardCharsets.UTF_8));
        assertThat(new String(client.content(request.withUserAgent("curl/8.5")).body(), StandardCharsets.UTF_8))
                .contains("  \"status\": {\n    \"allowed\": true\n  }\n}");
        assertThat(new String(client.content(request.withUserAgent("kubectl/v1.32")).body(), StandardCharsets.UTF_8))
                .contains("\"status\":{\"allowed\":true}");
    }

    @Test
    void aGeneratedNameHasFiveMoreLetters() {
        JsonNode made = client.post(NS + "configmaps", "{\"metadata\": {\"generateName\": \"job-\"}}");
        assertThat(Json.text(made, "metadata", "name")).matches("job-[a-z0-9]{5}");
    }

    /** Two components remove a pod that is to end now: the server itself, and a kubelet that sees the mark first. */
    @Test
    void aDeletionWithoutGraceSucceedsAlsoIfTheKubeletIsFaster() {
        String pod = NS + "pods/p";
        client.create(NS + "pods", "{metadata: {name: p}, spec: {nodeName: node, containers: [{name: c, image: i}]}}");
        byte[] now = "{\"gracePeriodSeconds\": 0}".getBytes(StandardCharsets.UTF_8);
        List<Integer> kubelet = new ArrayList<>();
        try (WatchFeed feed = client.watch(NS + "pods?watch=true", "application/json")) {
            feed.onReady(() -> {
                if (kubelet.isEmpty() && client.get(pod).at("/metadata").has("deletionTimestamp")) {
                    kubelet.add(0);
                    kubelet.set(0, client.content(ApiRequest.of("DELETE", pod, "application/json", now)).code());
                }
            });
            JsonNode answer = Json.read(client.content(ApiRequest.of("DELETE", pod, "application/json", now)).body());

            assertThat(kubelet).containsExactly(200);
            assertThat(answer.at("/kind").asString()).isEqualTo("Pod");
            assertThat(answer.at("/metadata/deletionGracePeriodSeconds").asInt()).isZero();
            assertThat(client.get(pod).at("/reason").asString()).isEqualTo("NotFound");
        }
    }

    @Test
    void theCreationOfAnObjectThatNoControllerHandlesIsWarnedOf() {
        client.rest.warnOfUnhandled(Map.of("services", "endpointslice-controller does not run: Services get nothing."));

        client.create(NS + "services", "{metadata: {name: s}, spec: {ports: [{port: 1}]}}");
        assertThat(client.last.warnings())
                .containsExactly("endpointslice-controller does not run: Services get nothing.");
        client.create(NS + "configmaps", "{metadata: {name: m}}");
        assertThat(client.last.warnings()).isEmpty();
    }

    @Test
    void defaultsOfALimitRangeThatFitIntoNoPodAreRefusedBeforeTheyAreSet() {
        client.create(NS + "limitranges", "{metadata: {name: l}, spec: {limits: [{type: Container, default: {"
                + repeated(5_000, "x.io/r%d: '1'") + "}}]}}");
        assertThat(client.last.code()).isEqualTo(201);

        JsonNode refused = client.create(NS + "pods", "{metadata: {name: a}, spec: {containers: ["
                + repeated(10_000, "{name: c%d, image: i}") + "]}}");

        assertThat(Json.text(refused, "message")).startsWith("etcdserver: request is too large: the LimitRanges of the "
                + "namespace give the pod 100000000 amounts");
    }

    private static String repeated(int count, String format) {
        return IntStream.range(0, count).mapToObj(format::formatted).collect(Collectors.joining(", "));
    }

    /** A controller makes the default account of a new namespace a moment later. */
    @Test
    void aPodWaitsForTheDefaultAccountOfItsNamespace() throws Exception {
        RestClient rest = new RestClient(Security.none().withPodAccounts(true));
        Thread controller = Thread.startVirtualThread(() -> rest.content(ApiRequest.of("POST", NS + "serviceaccounts",
                "application/json", "{\"metadata\": {\"name\": \"default\"}}".getBytes(StandardCharsets.UTF_8))));

        JsonNode pod = rest.create(NS + "pods", "{metadata: {name: a}, spec: {containers: [{name: c, image: i}]}}");

        assertThat(pod.at("/spec/containers/0/volumeMounts")).hasSize(1);
        controller.join();
    }

    @Test
    void aDefinitionOfAnOlderDirectoryIsNotServedAndItsDeletionLeavesTheBuiltInObjects() {
        String definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        String name = "clusterrolebindings.rbac.authorization.k8s.io";
        String bindings = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
        JsonNode before = client.get(bindings).path("items");
        client.store.create("customresourcedefinitions.apiextensions.k8s.io", (ObjectNode) Json.read("""
                {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                 "metadata": {"name": "%s", "uid": "u"}, "spec": {"group": "rbac.authorization.k8s.io",
                  "scope": "Cluster", "names": {"plural": "clusterrolebindings", "kind": "Thing"}, "versions": [
                   {"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object",
                    "x-kubernetes-preserve-unknown-fields": true}}}]},
                 "status": {"conditions": [{"type": "Established", "status": "True"}]}}""".formatted(name)));

        RestClient rest = new RestClient(client.store);
        assertThat(Json.text(rest.get(bindings), "kind")).isEqualTo("ClusterRoleBindingList");
        assertThat(rest.get(bindings).path("items")).isNotEmpty().isEqualTo(before);
        rest.delete(definitions + "/" + name);
        assertThat(rest.get(definitions).path("items")).isEmpty();
        assertThat(rest.get(bindings).path("items")).isEqualTo(before);
    }
}
