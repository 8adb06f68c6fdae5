package dev.wheelhouse.apiserver.patch;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.schema.GoldenApi;
import dev.wheelhouse.apiserver.schema.GoldenApi.Exchange;

import static org.assertj.core.api.Assertions.assertThat;

/** Compares the managed fields that a real server gave to new objects with those that this server gives to them. */
class GoldenOwnershipTest {
    private static final Instant NOW = Instant.parse("2026-11-21T02:35:25Z");

    @ParameterizedTest
    @ValueSource(strings = {"crud_errors.json", "patches.json", "deletes.json", "list_paging.json",
            "namespaces_auth.json", "status_generation_scale.json"})
    void aCreatedObjectsFieldsBelongToWhoCreatedIt(String file) {
        int checked = 0;
        for (Exchange exchange : GoldenApi.read(file)) {
            boolean created = exchange.method().equals("POST") && exchange.status() == 201
                    && Json.at(exchange.answer(), "metadata", "managedFields") != null;
            if (created) {
                ObjectNode object = exchange.object();
                Map<String, JsonNode> expected = GoldenApplyTest.managers(object);
                Json.child(object, "metadata").remove("managedFields");
                withoutAdmission(object);
                ObjectNode result = FieldManagement.updated(null, object, manager(expected), "", NOW);
                assertThat(GoldenApplyTest.managers(result)).as("%s", exchange).isEqualTo(expected);
                checked++;
            }
        }
        assertThat(checked).isPositive();
    }

    /** Removes the fields that admission adds to a pod: managed fields are recorded before it. */
    private static void withoutAdmission(ObjectNode object) {
        if (Json.text(object, "kind").equals("Pod")) {
            ObjectNode spec = (ObjectNode) object.get("spec");
            spec.remove(List.of("volumes", "serviceAccount", "serviceAccountName", "tolerations", "priority",
                    "preemptionPolicy"));
            spec.path("containers").forEach(container -> ((ObjectNode) container).remove("volumeMounts"));
        }
    }

    private static String manager(Map<String, JsonNode> managers) {
        return Json.text(managers.values().iterator().next(), "manager");
    }
}
