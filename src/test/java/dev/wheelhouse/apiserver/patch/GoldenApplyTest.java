package dev.wheelhouse.apiserver.patch;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.kinds.Defaults;
import dev.wheelhouse.apiserver.schema.FieldValidation;
import dev.wheelhouse.apiserver.schema.GoldenApi;
import dev.wheelhouse.apiserver.schema.GoldenApi.Exchange;

import static org.assertj.core.api.Assertions.assertThat;

/** Replays a real server's transcript of server-side apply. */
class GoldenApplyTest {
    private static final Instant NOW = Instant.parse("2026-11-21T02:35:25Z");

    @Test
    void appliesAndRefusesAsARealServerDoes() {
        Map<String, ObjectNode> live = new HashMap<>();
        int checked = 0;
        for (Exchange exchange : GoldenApi.read("apply.json")) {
            String path = exchange.path().replaceAll("/(scale|status)$", "");
            boolean isScale = exchange.path().endsWith("/scale");
            if (exchange.contentType().equals("application/apply-patch+yaml") && !isScale
                    && exchange.body() instanceof ObjectNode patch && !exchange.query("fieldManager").isEmpty()) {
                checked += check(exchange, live.get(path), patch) ? 1 : 0;
            }
            if (exchange.status() < 300 && !isScale && exchange.answer().isObject()) {
                live.put(path, exchange.object());
            } else if (exchange.status() < 300 && isScale) {
                live.computeIfPresent(path, (p, parent) -> scaled(parent, exchange));
            }
        }
        assertThat(checked).as("applies that were checked").isGreaterThan(12);
    }

    private static ObjectNode scaled(ObjectNode parent, Exchange exchange) {
        ObjectNode updated = parent.deepCopy();
        ((ObjectNode) updated.get("spec")).set("replicas", exchange.answer().get("spec").get("replicas"));
        return FieldManagement.updated(parent, updated, "", "scale", NOW);
    }

    /** @return false if the exchange is about the server's checks of names and versions, which are not part of apply */
    private static boolean check(Exchange exchange, @Nullable ObjectNode live, ObjectNode patch) {
        String reason = Json.text(exchange.answer(), "reason");
        String message = Json.text(exchange.answer(), "message");
        if (message.contains("does not match the name") || message.contains("has been modified")
                || patch.path("kind").isMissingNode()) {
            return false;
        }
        String subresource = exchange.path().endsWith("/status") ? "status" : "";
        try {
            ObjectNode result = FieldManagement.apply(live, patch, exchange.query("fieldManager"),
                    exchange.query("force").equals("true"), subresource, NOW);
            assertThat(reason).as("%s: refused by the real server: %s", exchange, message).isEmpty();
            ResourceType type = Json.text(result, "kind").equals("Deployment")
                    ? ResourceType.DEPLOYMENTS
                    : ResourceType.CONFIG_MAPS;
            FieldValidation.prune(type.apiVersion(), type.kind(), result);
            Defaults.apply(type, result);
            ObjectNode expected = exchange.object();
            assertThat(result.get("spec")).as("%s: spec", exchange).isEqualTo(expected.get("spec"));
            assertThat(result.get("data")).as("%s: data", exchange).isEqualTo(expected.get("data"));
            assertThat(managers(result)).as("%s: managed fields", exchange).isEqualTo(managers(expected));
        } catch (FieldManagement.ConflictException e) {
            assertThat(e).as("%s", exchange).hasMessage(message);
            assertThat(e.conflicts()).extracting(FieldManagement.Conflict::field)
                    .containsExactlyElementsOf(
                            exchange.answer().path("details").path("causes").findValuesAsString("field"));
        } catch (Patches.PatchException e) {
            assertThat(e).as("%s", exchange).hasMessage(message);
            assertThat(e.code()).isEqualTo(exchange.status());
        }
        return true;
    }

    /** The managed fields without their times, which differ. They are sorted by time, so the order is dropped, too. */
    static Map<String, JsonNode> managers(ObjectNode object) {
        Map<String, JsonNode> managers = new HashMap<>();
        for (JsonNode entry : object.path("metadata").path("managedFields")) {
            ObjectNode copy = (ObjectNode) entry.deepCopy();
            copy.remove("time");
            managers.put(Json.text(copy, "manager") + " " + Json.text(copy, "operation") + " "
                    + Json.text(copy, "subresource"), copy);
        }
        return managers;
    }
}
