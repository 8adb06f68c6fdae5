package dev.wheelhouse.apiserver.discovery;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Resources;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.facts.BuiltInResource;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

class DiscoveryTest {
    private final ResourceRegistry registry = ResourceRegistry.builtIn();
    private final Discovery discovery = new Discovery(registry, List.of());

    @Test
    void theGroupsComeInTheOrderOfARealServerWithTheirPreferredVersions() {
        List<String> real = new ArrayList<>();
        recorded("/apis").get("groups").forEach(g -> real.add(Json.text(g, "name")));

        List<String> ours = new ArrayList<>();
        discovery.apiGroupList().get("groups").forEach(g -> ours.add(Json.text(g, "name")));

        assertThat(ours).filteredOn(real::contains).isEqualTo(real);
        assertThat(requireNonNull(discovery.apiGroup("autoscaling")).at("/preferredVersion/groupVersion").asString())
                .isEqualTo("autoscaling/v2");
        assertThat(requireNonNull(discovery.apiGroup("autoscaling")).at("/versions/1/version").asString())
                .isEqualTo("v1");
        assertThat(discovery.apiGroup("nope")).isNull();
        assertThat(discovery.apiGroup("")).isNull();
    }

    @Test
    void oneGroupIsDescribedAsARealServerDoes() {
        assertThat((JsonNode) discovery.apiGroup("apps")).isEqualTo(recorded("/apis/apps"));
    }

    @Test
    void everyResourceOfARealServersCoreAndAppsGroupsIsThereWithItsVerbsAndNames() {
        for (String path : List.of("/api/v1", "/apis/apps/v1", "/apis/coordination.k8s.io/v1")) {
            String[] parts = path.substring(1).split("/");
            ObjectNode ours = requireNonNull(parts.length == 2
                    ? discovery.apiResourceList("", parts[1])
                    : discovery.apiResourceList(parts[1], parts[2]));
            JsonNode real = recorded(path);
            assertThat(ours.get("kind")).isEqualTo(real.get("kind"));
            assertThat(ours.get("apiVersion")).isEqualTo(real.get("apiVersion"));
            assertThat(ours.get("groupVersion")).isEqualTo(real.get("groupVersion"));
            List<JsonNode> oursByName = withoutSingular(ours);
            assertThat(oursByName).containsAll(withoutSingular(real));
        }
    }

    @Test
    void subresourcesFollowTheirResource() {
        List<String> names = new ArrayList<>();
        requireNonNull(discovery.apiResourceList("apps", "v1")).get("resources")
                .forEach(r -> names.add(Json.text(r, "name")));

        assertThat(names).containsSubsequence("deployments", "deployments/scale", "deployments/status", "replicasets");
    }

    @Test
    void anUnknownGroupVersionHasNoDocument() {
        assertThat(discovery.apiResourceList("apps", "v2")).isNull();
        assertThat(discovery.apiResourceList("", "v2")).isNull();
    }

    @Test
    void theAggregatedFormSaysTheSameInOneDocument() {
        ObjectNode groups = discovery.aggregated(false).document();

        assertThat(groups.get("apiVersion").asString()).isEqualTo("apidiscovery.k8s.io/v2");
        JsonNode apps = null;
        for (JsonNode group : groups.get("items")) {
            if (Json.text(group, "metadata", "name").equals("apps")) {
                apps = group;
            }
        }
        JsonNode version = requireNonNull(apps).at("/versions/0");
        assertThat(version.get("freshness").asString()).isEqualTo("Current");
        JsonNode deployments = requireNonNull(find(version.get("resources"), "resource", "deployments"));
        assertThat(deployments).isEqualTo(Json.read("""
                {"resource": "deployments", "responseKind": {"group": "", "version": "", "kind": "Deployment"},
                 "scope": "Namespaced", "singularResource": "deployment",
                 "verbs": ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
                 "shortNames": ["deploy"], "categories": ["all"],
                 "subresources": [
                   {"subresource": "scale", "responseKind": {"group": "autoscaling", "version": "v1", "kind": "Scale"},
                    "verbs": ["get", "patch", "update"]},
                   {"subresource": "status", "responseKind": {"group": "", "version": "", "kind": "Deployment"},
                    "verbs": ["get", "patch", "update"]}]}
                """));
        ObjectNode core = discovery.aggregated(true).document();
        assertThat(core.get("items")).hasSize(1);
        assertThat(core.at("/items/0/versions/0/version").asString()).isEqualTo("v1");
    }

    @Test
    void documentsAreMadeOnceUntilACustomResourceComesOrGoes() {
        ObjectNode before = discovery.aggregated(false).document();
        assertThat(discovery.aggregated(false).document()).isSameAs(before);

        ResourceRegistry.Served with = registry.with(
                List.of(new BuiltInResource(new ResourceType("shop.example.com", "v1", "orders", "Order", true),
                        "order", List.of("ord"), List.of(), Set.of("get", "list"), List.of())));
        registry.follow(() -> with);
        assertThat(discovery.apiResourceList("shop.example.com", "v1")).isNotNull();
        assertThat(discovery.apiGroup("shop.example.com")).isNotNull();

        ResourceRegistry.Served without = registry.with(List.of());
        registry.follow(() -> without);
        assertThat(discovery.apiGroup("shop.example.com")).isNull();
    }

    /** Drops singular names, which the older recorded server does not answer with. */
    private static List<JsonNode> withoutSingular(JsonNode resourceList) {
        List<JsonNode> entries = new ArrayList<>();
        resourceList.get("resources").forEach(r -> {
            ObjectNode entry = (ObjectNode) r.deepCopy();
            entry.remove("singularName");
            entries.add(entry);
        });
        return entries;
    }

    private static JsonNode find(JsonNode list, String field, String value) {
        for (JsonNode element : list) {
            if (Json.text(element, field).equals(value)) {
                return element;
            }
        }
        throw new AssertionError("no " + field + " " + value + " in " + list);
    }

    private static JsonNode recorded(String path) {
        for (JsonNode exchange : Resources.json("/golden/api/discovery.json")) {
            if (Json.text(exchange, "request", "path").equals(path)) {
                return requireNonNull(Json.at(exchange, "response", "body"));
            }
        }
        throw new AssertionError("no recorded answer for " + path);
    }
}
