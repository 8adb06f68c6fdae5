package dev.wheelhouse.apiserver.rest;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.WatchFeed;

import static dev.wheelhouse.apiserver.rest.RestClient.NS;
import static org.assertj.core.api.Assertions.assertThat;

/** The verbs of the API, request by request. */
class RestServerTest {
    private static final String APPS = "/apis/apps/v1/namespaces/default/";

    private final RestClient client = new RestClient();

    private JsonNode deployment(String name) {
        return client.post(APPS + "deployments", """
                {"metadata": {"name": "%1$s"}, "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "%1$s"}},
                 "template": {"metadata": {"labels": {"app": "%1$s"}},
                  "spec": {"containers": [{"name": "c", "image": "i"}]}}}}""".formatted(name));
    }

    private static String pod(String name) {
        return "{\"metadata\": {\"name\": \"" + name
                + "\"}, \"spec\": {\"containers\": [{\"name\": \"c\", \"image\": \"i\"}]}}";
    }

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
    void aNewClusterHasItsNamespacesAndService() {
        List<String> names = new ArrayList<>();
        client.get("/api/v1/namespaces").get("items").forEach(n -> names.add(Json.text(n, "metadata", "name")));
        assertThat(names).containsExactly("default", "kube-node-lease", "kube-public", "kube-system");
        assertThat(Json.text(client.get(NS + "services/kubernetes"), "spec", "clusterIP")).isEqualTo("10.96.0.1");
    }

    @Test
    void aGeneratedNameHasFiveMoreLetters() {
        JsonNode made = client.post(NS + "configmaps", "{\"metadata\": {\"generateName\": \"job-\"}}");
        assertThat(Json.text(made, "metadata", "name")).matches("job-[a-z0-9]{5}");
    }

    @Test
    void scalingChangesTheReplicasAndChecksTheVersion() {
        deployment("web");
        JsonNode scale = client.merge(APPS + "deployments/web/scale", "{\"spec\": {\"replicas\": 5}}");
        assertThat(Json.text(scale, "kind")).isEqualTo("Scale");
        assertThat(Json.text(scale, "status", "selector")).isEqualTo("app=web");
        assertThat(Json.number(client.get(APPS + "deployments/web"), 0, "spec", "replicas")).isEqualTo(5);
        client.call("PUT", APPS + "deployments/web/scale", "application/json",
                "{\"metadata\": {\"name\": \"web\", \"resourceVersion\": \"1\"}, \"spec\": {\"replicas\": 1}}");
        assertThat(client.last.code()).isEqualTo(409);
    }

    @Test
    void aDryRunAnswersAndStoresNothing() {
        assertThat(Json.text(client.post(NS + "configmaps?dryRun=All", "{\"metadata\": {\"name\": \"a\"}}"), "metadata",
                "uid")).isNotEmpty();
        assertThat(client.last.code()).isEqualTo(201);
        client.get(NS + "configmaps/a");
        assertThat(client.last.code()).isEqualTo(404);
        client.post(NS + "configmaps", "{\"metadata\": {\"name\": \"a\"}}");
        client.merge(NS + "configmaps/a?dryRun=All", "{\"data\": {\"k\": \"v\"}}");
        client.delete(NS + "configmaps/a?dryRun=All");
        assertThat(client.get(NS + "configmaps/a").has("data")).isFalse();
    }

    @Test
    void anOwnerThatIsNamedTwiceIsKeptOnceWithAWarning() {
        String owner = "{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"name\": \"o\", \"uid\": \"u\", "
                + "\"controller\": true}";
        JsonNode made = client.post(NS + "configmaps",
                "{\"metadata\": {\"name\": \"a\", \"ownerReferences\": [" + owner + ", " + owner + "]}}");
        assertThat(client.last.code()).isEqualTo(201);
        assertThat(client.last.warnings()).hasSize(1).first().asString().endsWith("duplicate UID(s) observed: u");
        assertThat(made.path("metadata").path("ownerReferences")).hasSize(1);
    }

    @Test
    void whatIsToReplaceAnObjectHasToSayItsName() {
        client.post(NS + "configmaps", "{\"metadata\": {\"name\": \"a\"}}");
        String problem = "the name of the object (a based on URL) was undeterminable: name must be provided";
        assertThat(Json.text(client.call("PUT", NS + "configmaps/a", "application/json", "{\"data\": {\"k\": \"v\"}}"),
                "message"))
                .isEqualTo(problem);
        assertThat(Json.text(client.merge(NS + "configmaps/a", "{\"metadata\": {\"name\": null}}"), "message"))
                .isEqualTo(problem);
        assertThat(client.last.code()).isEqualTo(400);
    }

    @Test
    void aNewBudgetCountsNothingYet() {
        JsonNode made = client.post("/apis/policy/v1/namespaces/default/poddisruptionbudgets",
                "{\"metadata\": {\"name\": \"b\"}, \"spec\": {\"minAvailable\": 1}}");
        assertThat(made.path("status").toString()).contains("\"currentHealthy\":0", "\"desiredHealthy\":0",
                "\"disruptionsAllowed\":0", "\"expectedPods\":0");
    }

    @Test
    void unknownFieldsAreWarnedOfRefusedOrIgnored() {
        String body = "{\"metadata\": {\"name\": \"%s\"}, \"dta\": {}}";
        JsonNode made = client.post(NS + "configmaps", body.formatted("a"));
        assertThat(client.last.warnings()).containsExactly("unknown field \"dta\"");
        assertThat(made.has("dta")).isFalse();
        client.post(NS + "configmaps?fieldValidation=Ignore", body.formatted("b"));
        assertThat(client.last.warnings()).isEmpty();
        assertThat(Json.text(client.post(NS + "configmaps?fieldValidation=Strict", body.formatted("c")), "message"))
                .contains("strict decoding error: unknown field \"dta\"");
        assertThat(client.last.code()).isEqualTo(400);
    }

    @Test
    void aServiceGetsAnAddressAndANodePortAndGivesThemBack() {
        String body = "{\"metadata\": {\"name\": \"%s\"}, \"spec\": {\"type\": \"NodePort\", \"clusterIP\": \"%s\", "
                + "\"ports\": [{\"port\": 80}]}}";
        JsonNode service = client.post(NS + "services", body.formatted("s", ""));
        String address = Json.text(service, "spec", "clusterIP");
        assertThat(address).startsWith("10.");
        assertThat(Json.number(service.get("spec").get("ports").get(0), 0, "nodePort")).isBetween(30_000L, 32_767L);
        client.post(NS + "services", body.formatted("t", address));
        assertThat(client.last.code()).isEqualTo(422);
        JsonNode changed = client.merge(NS + "services/s", "{\"spec\": {\"ports\": [{\"port\": 81}]}}");
        assertThat(Json.text(changed, "spec", "clusterIP")).isEqualTo(address);
        client.delete(NS + "services/s");
        client.post(NS + "services", body.formatted("t", address));
        assertThat(client.last.code()).isEqualTo(201);
    }

    @Test
    void aNamespaceTerminatesUntilItIsFinalized() {
        client.post("/api/v1/namespaces", "{\"metadata\": {\"name\": \"t\"}}");
        client.post("/api/v1/namespaces/t/configmaps", "{\"metadata\": {\"name\": \"a\"}}");
        assertThat(Json.text(client.delete("/api/v1/namespaces/t"), "status", "phase")).isEqualTo("Terminating");
        assertThat(Json.text(client.post("/api/v1/namespaces/t/configmaps", "{\"metadata\": {\"name\": \"b\"}}"),
                "message"))
                .contains("because it is being terminated");
        client.call("PUT", "/api/v1/namespaces/t/finalize", "application/json",
                "{\"metadata\": {\"name\": \"t\"}, \"spec\": {\"finalizers\": []}}");
        assertThat(client.last.code()).isEqualTo(200);
        client.get("/api/v1/namespaces/t");
        assertThat(client.last.code()).isEqualTo(404);
    }

    @Test
    void aPodWithTheLongestGracePeriodThereIsCanBeDeletedAndThenAtOnce() {
        client.post(NS + "pods", "{\"metadata\": {\"name\": \"p\"}, \"spec\": {\"nodeName\": \"n\", "
                + "\"terminationGracePeriodSeconds\": " + Long.MAX_VALUE
                + ", \"containers\": [{\"name\": \"c\", \"image\": \"i\"}]}}");

        assertThat(client.content(ApiRequest.of("DELETE", NS + "pods/p", null)).code()).isEqualTo(200);
        assertThat(client.get(NS + "pods/p").at("/metadata/deletionGracePeriodSeconds").longValue())
                .isEqualTo(Integer.MAX_VALUE);
        byte[] now = "{\"gracePeriodSeconds\": 0}".getBytes(StandardCharsets.UTF_8);
        assertThat(client.content(ApiRequest.of("DELETE", NS + "pods/p", "application/json", now)).code())
                .isEqualTo(200);
        assertThat(client.get(NS + "pods/p").path("code").intValue()).isEqualTo(404);
    }

    /** Two components remove a pod that is to end now: the server itself, and a kubelet that sees the mark first. */
    @Test
    void aDeletionWithoutGraceSucceedsAlsoIfTheKubeletIsFaster() {
        String pod = NS + "pods/p";
        client.post(NS + "pods", "{\"metadata\": {\"name\": \"p\"}, \"spec\": {\"nodeName\": \"n\", \"containers\": "
                + "[{\"name\": \"c\", \"image\": \"i\"}]}}");
        byte[] now = "{\"gracePeriodSeconds\": 0}".getBytes(StandardCharsets.UTF_8);
        List<Integer> kubelet = new ArrayList<>();
        try (WatchFeed feed = ((ApiResponse.Stream) client.rest
                .handle(ApiRequest.of("GET", NS + "pods?watch=true", null)))
                .feed()) {
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
    void aStatusOfAPodWithoutObservedGenerationsKeepsThose() {
        client.post(NS + "pods", pod("p"));
        client.merge(NS + "pods/p/status", """
                {"status": {"observedGeneration": 1, "conditions": [{"type": "A", "status": "True",
                 "observedGeneration": 1}, {"type": "B", "status": "True"}]}}""");
        JsonNode status = client.merge(NS + "pods/p/status", """
                {"status": {"observedGeneration": null, "conditions": [{"type": "C", "status": "True"},
                 {"type": "A", "status": "False"}]}}""").path("status");
        assertThat(status.path("observedGeneration").asLong(0)).isEqualTo(1);
        assertThat(status.at("/conditions/0").has("observedGeneration")).isFalse();
        assertThat(status.at("/conditions/1/observedGeneration").asLong(0)).isEqualTo(1);
    }

    @Test
    void anEvictionIsRefusedWhereTheBudgetAllowsNone() {
        client.post(NS + "pods", pod("p"));
        client.merge(NS + "pods/p", "{\"metadata\": {\"labels\": {\"app\": \"x\"}}}");
        client.merge(NS + "pods/p/status", "{\"status\": {\"phase\": \"Running\"}}");
        client.post("/apis/policy/v1/namespaces/default/poddisruptionbudgets",
                "{\"metadata\": {\"name\": \"b\"}, \"spec\": {\"minAvailable\": 1, \"selector\": {\"matchLabels\": "
                        + "{\"app\": \"x\"}}}}");
        client.post(NS + "pods/p/eviction", "{\"metadata\": {\"name\": \"p\"}}");
        assertThat(client.last.code()).isEqualTo(429);
        client.merge("/apis/policy/v1/namespaces/default/poddisruptionbudgets/b/status",
                "{\"status\": {\"disruptionsAllowed\": 1}}");
        assertThat(client.post(NS + "pods/p/eviction", "{\"metadata\": {\"name\": \"p\"}}").toString())
                .contains("The disruption budget b is still being processed by the server.");
        client.merge("/apis/policy/v1/namespaces/default/poddisruptionbudgets/b/status",
                "{\"status\": {\"observedGeneration\": 1, \"desiredHealthy\": 1, \"currentHealthy\": 0}}");
        client.post(NS + "pods/p/eviction?dryRun=All", "{\"metadata\": {\"name\": \"p\"}}");
        assertThat(client.last.code()).isEqualTo(201);
        client.post(NS + "pods/p/eviction", "{\"metadata\": {\"name\": \"p\"}}");
        assertThat(client.last.code()).isEqualTo(201);
        assertThat(client.get("/apis/policy/v1/namespaces/default/poddisruptionbudgets/b").path("status")
                .path("disruptedPods").has("p")).isTrue();
        client.get(NS + "pods/p");
        assertThat(client.last.code()).isEqualTo(404);
    }

    @Test
    void aPodIsBoundOnce() {
        client.post(NS + "pods", pod("p"));
        String binding = "{\"metadata\": {\"name\": \"p\"}, \"target\": {\"kind\": \"Node\", \"name\": \"n1\"}}";
        client.post(NS + "pods/p/binding", binding);
        assertThat(client.last.code()).isEqualTo(201);
        assertThat(Json.text(client.post(NS + "pods/p/binding", binding), "message"))
                .contains("pod p is already assigned to node \"n1\"");
        assertThat(client.last.code()).isEqualTo(409);
    }

    @Test
    void anEventIsOneObjectUnderBothOfItsGroups() {
        client.post("/apis/events.k8s.io/v1/namespaces/default/events",
                "{\"metadata\": {\"name\": \"e\"}, \"eventTime\": \"2026-01-01T00:00:00.000000Z\", \"note\": \"hi\", "
                        + "\"reason\": \"R\", \"action\": \"A\", \"type\": \"Normal\", \"reportingController\": "
                        + "\"c/d\", \"reportingInstance\": \"i\", \"regarding\": {\"kind\": \"Pod\", \"name\": \"p\", "
                        + "\"namespace\": \"default\"}}");
        assertThat(client.last.code()).isEqualTo(201);
        JsonNode core = client.get(NS + "events?fieldSelector=involvedObject.name%3Dp").get("items").get(0);
        assertThat(Json.text(core, "message")).isEqualTo("hi");
        assertThat(Json.text(client.get("/apis/events.k8s.io/v1/namespaces/default/events/e"), "note")).isEqualTo("hi");
    }

    @Test
    void tablesCarryTheColumnsAndTheRows() {
        deployment("web");
        client.last = client.content(ApiRequest.of("GET", APPS + "deployments", null)
                .withAccept("application/json;as=Table;v=v1;g=meta.k8s.io,application/json"));
        JsonNode table = Json.read(client.last.body());
        assertThat(Json.text(table, "kind")).isEqualTo("Table");
        assertThat(table.get("rows").get(0).get("cells").get(0).asString()).isEqualTo("web");
        assertThat(((ArrayNode) table.get("columnDefinitions")).size()).isGreaterThan(4);
    }

    @Test
    void tablesAndMetadataMayBeOfTheBetaVersion() {
        deployment("web");
        String list = APPS + "deployments";
        for (String[] asked : new String[][]{{list, "Table", "Table"}, {list + "/web", "Table", "Table"},
                {list, "PartialObjectMetadataList", "PartialObjectMetadataList"},
                {list + "/web", "PartialObjectMetadata", "PartialObjectMetadata"}}) {
            client.last = client.content(ApiRequest.of("GET", asked[0], null)
                    .withAccept("application/json;as=" + asked[1] + ";v=v1beta1;g=meta.k8s.io"));
            assertThat(client.last.code()).isEqualTo(200);
            assertThat(Json.text(Json.read(client.last.body()), "kind")).isEqualTo(asked[2]);
            assertThat(Json.text(Json.read(client.last.body()), "apiVersion")).isEqualTo("meta.k8s.io/v1beta1");
        }
    }

    @Test
    void aReviewIsNoTable() {
        client.last = client.content(ApiRequest.of("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                "{\"spec\": {\"nonResourceAttributes\": {\"path\": \"/\", \"verb\": \"get\"}}}"
                        .getBytes(StandardCharsets.UTF_8))
                .withAccept("application/json;as=Table;v=v1;g=meta.k8s.io"));
        assertThat(client.last.code()).isEqualTo(406);
    }

    @Test
    void aFieldThatIsNamedTwiceIsRefusedOrWarnedOf() {
        String body = "{\"metadata\": {\"name\": \"twice\"}, \"unknown\": 1, \"immutable\": null, \"immutable\": true}";
        String problem = "duplicate field \"immutable\"";
        client.call("POST", NS + "configmaps?fieldValidation=Strict", "application/json", body);
        assertThat(client.last.code()).isEqualTo(400);
        assertThat(Json.text(Json.read(client.last.body()), "message"))
                .endsWith("strict decoding error: unknown field \"unknown\", " + problem);
        client.call("POST", NS + "configmaps", "application/json", body);
        assertThat(client.last.code()).isEqualTo(201);
        assertThat(client.last.warnings()).contains(problem);
    }

    @Test
    void aTimeoutThatIsNoDurationIsRefused() {
        assertThat(Json.text(client.get("/version?timeout=invalid"), "message"))
                .startsWith("invalid timeout specified in the request URL");
        assertThat(client.last.code()).isEqualTo(400);
        client.get("/version?timeout=3m");
        assertThat(client.last.code()).isEqualTo(200);
    }

    /** Tabs as indentation make YAML invalid, but Go's parser accepts them. */
    @Test
    void anAppliedObjectMayBeIndentedByTabs() {
        client.call("PATCH", NS + "configmaps/tabs?fieldManager=m", "application/apply-patch+yaml",
                "{\n\t\"apiVersion\": \"v1\",\n\t\"kind\": \"ConfigMap\",\n\t\"metadata\": {\"name\": \"tabs\"},"
                        + "\n\t\"data\": {\"a\": \"b\",}\n}");
        assertThat(client.last.code()).isEqualTo(201);
    }

    @Test
    void anApplyThatNamesAUidChangesThatObjectAlone() {
        String pinned = """
                {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one", "uid": "%s"},
                 "data": {"a": "b"}}""";
        String path = NS + "configmaps/one?fieldManager=m";
        JsonNode refused = client.call("PATCH", path, "application/apply-patch+yaml", pinned.formatted("1"));
        assertThat(client.last.code()).isEqualTo(409);
        assertThat(Json.text(refused, "message")).endsWith(
                "uid mismatch: the provided object specified uid 1, and no existing object was found");
        JsonNode made = client.post(NS + "configmaps", "{\"metadata\": {\"name\": \"one\"}}");
        client.call("PATCH", path, "application/apply-patch+yaml", pinned.formatted("1"));
        assertThat(client.last.code()).isEqualTo(422);
        client.call("PATCH", path, "application/apply-patch+yaml",
                pinned.formatted(Json.text(made, "metadata", "uid")));
        assertThat(client.last.code()).isEqualTo(200);
    }

    /** Java Operator SDK applies with version 1, so that it creates and never changes. */
    @Test
    void anAppliedObjectWithAVersionIsCreatedButNotChangedUnlessTheVersionFits() {
        String pinned = """
                {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pinned", "resourceVersion": "1"}}""";
        client.call("PATCH", NS + "configmaps/pinned?fieldManager=m", "application/apply-patch+yaml", pinned);
        assertThat(client.last.code()).isEqualTo(201);
        client.call("PATCH", NS + "configmaps/pinned?fieldManager=m", "application/apply-patch+yaml", pinned);
        assertThat(client.last.code()).isEqualTo(409);
    }

    @Test
    void yamlComesInAndGoesOut() {
        client.call("POST", NS + "configmaps", "application/yaml",
                "metadata: {name: 'y'}\ndata:\n  at: 2026-01-01T00:00:00Z\n  'n': \"1\"\n");
        assertThat(client.last.code()).isEqualTo(201);
        client.last = client.content(ApiRequest.of("GET", NS + "configmaps/y", null).withAccept("application/yaml"));
        assertThat(new String(client.last.body(), StandardCharsets.UTF_8)).contains("kind: ConfigMap")
                .contains("\"n\": \"1\"")
                .contains("at: \"2026-01-01T00:00:00Z\"");
    }

    @Test
    void aCustomResourceIsServedForAsLongAsItsDefinitionIs() {
        client.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", """
                {"metadata": {"name": "foos.ex.com"}, "spec": {"group": "ex.com", "scope": "Namespaced",
                 "names": {"plural": "foos", "kind": "Foo"}, "versions": [{"name": "v1", "served": true,
                  "storage": true, "subresources": {"status": {}},
                  "schema": {"openAPIV3Schema": {"type": "object",
                   "x-kubernetes-preserve-unknown-fields": true}}}]}}""");
        assertThat(client.last.code()).isEqualTo(201);
        String foos = "/apis/ex.com/v1/namespaces/default/foos";
        JsonNode foo = client.post(foos,
                "{\"apiVersion\": \"ex.com/v1\", \"kind\": \"Foo\", \"metadata\": {\"name\": \"a\"}, "
                        + "\"spec\": {\"size\": 1}, \"status\": {\"x\": 1}}");
        assertThat(Json.number(foo, 0, "metadata", "generation")).isEqualTo(1);
        assertThat(foo.has("status")).isFalse();
        JsonNode changed = client.merge(foos + "/a", "{\"spec\": {\"size\": 2}}");
        assertThat(Json.number(changed, 0, "metadata", "generation")).isEqualTo(2);
        JsonNode status = client.merge(foos + "/a/status", "{\"spec\": {\"size\": 3}, \"status\": {\"x\": 5}}");
        assertThat(Json.number(status, 0, "spec", "size")).isEqualTo(2);
        assertThat(Json.number(status, 0, "status", "x")).isEqualTo(5);
        client.delete("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/foos.ex.com");
        client.get(foos);
        assertThat(client.last.code()).isEqualTo(404);
    }

    @Test
    void whatIsNotKnownIsRefusedInUpstreamsWords() {
        assertThat(Json.text(client.get("/api/v1/nosuch"), "message"))
                .isEqualTo("the server could not find the requested "
                        + "resource");
        assertThat(Json.text(client.get(APPS + "deployments/web"), "message"))
                .isEqualTo("deployments.apps \"web\" not found");
        assertThat(Json.text(client.get(NS + "pods?fieldSelector=spec.foo%3D1"), "message"))
                .isEqualTo("field label not supported: spec.foo");
        assertThat(client.last.code()).isEqualTo(400);
        client.call("PUT", "/api/v1/namespaces", "application/json", "{}");
        assertThat(client.last.code()).isEqualTo(405);
    }
}
