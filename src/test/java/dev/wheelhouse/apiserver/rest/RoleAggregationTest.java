package dev.wheelhouse.apiserver.rest;

import java.util.SplittableRandom;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Retention;
import dev.wheelhouse.apiserver.store.Storage;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

/** The roles of a new server, and the aggregated roles. */
class RoleAggregationTest {
    private static final String ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles";

    private final ManualClock clock = new ManualClock();
    private final RestServer rest = new RestServer(
            new ObjectStore(clock, Retention.standard(), Storage.inMemory()), clock, new SplittableRandom(1));

    private JsonNode call(String method, String path, String body) {
        ApiResponse.Content answer = (ApiResponse.Content) rest
                .handle(ApiRequest.of(method, path, method.equals("PATCH")
                        ? "application/merge-patch+json"
                        : "application/json", Json.bytes(Json.read(body))));
        assertThat(answer.code()).as(method + " " + path).isLessThan(300);
        return Json.read(answer.body());
    }

    private JsonNode role(String name) {
        return call("GET", ROLES + "/" + name, "{}");
    }

    private static void assertAllows(JsonNode role, String resource, String verb, boolean allowed) {
        boolean found = false;
        for (JsonNode rule : role.path("rules")) {
            found |= rule.path("resources").toString().contains("\"" + resource + "\"")
                    && rule.path("verbs").toString().contains("\"" + verb + "\"");
        }
        assertThat(found).as("%s %s by %s", verb, resource, Json.text(role, "metadata", "name")).isEqualTo(allowed);
    }

    @Test
    void viewEditAndAdminHaveTheRulesThatAreAggregatedToThem() {
        assertAllows(role("view"), "pods", "list", true);
        assertAllows(role("view"), "secrets", "get", false);
        assertAllows(role("edit"), "pods", "list", true);
        assertAllows(role("edit"), "secrets", "get", true);
        assertAllows(role("edit"), "rolebindings", "create", false);
        assertAllows(role("admin"), "pods", "list", true);
        assertAllows(role("admin"), "secrets", "get", true);
        assertAllows(role("admin"), "rolebindings", "create", true);
    }

    @Test
    void anAggregatedRoleFollowsWhatItSelects() {
        call("POST", ROLES, """
                {"metadata": {"name": "part", "labels": {"rbac.authorization.k8s.io/aggregate-to-view": "true"}},
                 "rules": [{"verbs": ["list"], "apiGroups": ["ex.com"], "resources": ["gadgets"]}]}""");
        assertAllows(role("view"), "gadgets", "list", true);
        assertAllows(role("admin"), "gadgets", "list", true);

        call("PATCH", ROLES + "/part", "{\"metadata\": {\"labels\": null}}");
        assertAllows(role("view"), "gadgets", "list", false);
        assertAllows(role("admin"), "gadgets", "list", false);

        call("PATCH", ROLES + "/part",
                "{\"metadata\": {\"labels\": {\"rbac.authorization.k8s.io/aggregate-to-view\": \"true\"}}}");
        assertAllows(role("admin"), "gadgets", "list", true);
        call("DELETE", ROLES + "/part", "{}");
        assertAllows(role("admin"), "gadgets", "list", false);
    }

    @Test
    void rolesThatSelectEachOtherSettle() {
        for (String[] pair : new String[][]{{"one", "two"}, {"two", "one"}}) {
            call("POST", ROLES, """
                    {"metadata": {"name": "%1$s", "labels": {"to": "%1$s"}},
                     "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"to": "%2$s"}}]}}"""
                    .formatted(pair[0], pair[1]));
        }
        call("POST", ROLES, """
                {"metadata": {"name": "three", "labels": {"to": "one"}},
                 "rules": [{"verbs": ["list"], "apiGroups": ["ex.com"], "resources": ["gadgets"]}]}""");

        assertAllows(role("two"), "gadgets", "list", true);
        assertAllows(role("one"), "gadgets", "list", true);
    }
}
