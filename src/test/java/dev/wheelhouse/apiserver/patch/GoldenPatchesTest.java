package dev.wheelhouse.apiserver.patch;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.kinds.Defaults;
import dev.wheelhouse.apiserver.schema.FieldValidation;
import dev.wheelhouse.apiserver.schema.GoldenApi;
import dev.wheelhouse.apiserver.schema.GoldenApi.Exchange;
import dev.wheelhouse.facts.Schemas;

import static org.assertj.core.api.Assertions.assertThat;

/** Replays a real server's transcript of patches: the resulting objects, their managed fields, and error messages. */
class GoldenPatchesTest {
    private static final Instant NOW = Instant.parse("2026-11-21T02:35:25Z");
    /** The fields of a Deployment's summary in the transcript, with their paths in the object. */
    private static final Map<String, String[]> SUMMARY = Map.of("strategy", new String[]{"spec", "strategy"},
            "finalizers", new String[]{"metadata", "finalizers"}, "labels", new String[]{"metadata", "labels"});

    private final Map<String, ObjectNode> live = new HashMap<>();
    private int checked;

    @Test
    void patchesAsARealServerDoes() {
        seed();
        for (Exchange exchange : GoldenApi.read("patches.json")) {
            ObjectNode before = live.get(exchange.path());
            if (exchange.method().equals("PATCH") && before != null && exchange.status() != 415
                    && !exchange.body().isMissingNode()) {
                check(exchange, before);
            }
            if (exchange.status() == 201) {
                ObjectNode created = exchange.object();
                live.put(exchange.path() + "/" + Json.text(created, "metadata", "name"), created);
            }
        }
        assertThat(checked).as("patches that were checked").isGreaterThan(35);
    }

    /** Creates the config map that exists before the transcript begins. */
    private void seed() {
        ObjectNode map = (ObjectNode) Json
                .read("""
                        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "api",
                         "managedFields": [
                          {"manager": "unknown", "operation": "Update", "apiVersion": "v1",
                           "time": "2026-11-21T02:35:19Z",
                           "fieldsType": "FieldsV1", "fieldsV1": {"f:data": {".": {}, "f:k": {}, "f:l": {}}}}]},
                         "data": {"k": "v", "l": "x"}}""");
        live.put("/api/v1/namespaces/api/configmaps/a", map);
    }

    private void check(Exchange exchange, ObjectNode before) {
        String message = Json.text(exchange.answer(), "message");
        boolean byTheServer = message.contains("is invalid") || message.contains("has been modified")
                || message.contains("does not match");
        checked++;
        ObjectNode after;
        try {
            after = patched(exchange, before);
        } catch (Patches.PatchException e) {
            assertThat(e).as("%s", exchange).hasMessage(message);
            assertThat(e.code()).as("%s", exchange).isEqualTo(exchange.status());
            return;
        } catch (FieldValidation.WrongTypeException e) {
            assertThat(message).as("%s", exchange).endsWith(e.getMessage());
            return;
        }
        if (byTheServer || exchange.number() == 42) {
            return; // 42: versions newer than the recording drop a new map that has a directive
        }
        assertThat(message).as("%s: refused by the real server", exchange).isEmpty();
        if (exchange.answer().has("podspec")) {
            checkSummary(exchange, after);
            annotate(after, exchange);
        } else {
            assertThat(after.get("data")).as("%s", exchange).isEqualTo(exchange.answer().get("data"));
            assertThat(GoldenApplyTest.managers(after)).as("%s: managed fields", exchange)
                    .isEqualTo(GoldenApplyTest.managers(exchange.object()));
        }
        live.put(exchange.path(), after);
    }

    private static ObjectNode patched(Exchange exchange, ObjectNode before) {
        ResourceType type = exchange.path().contains("deployments")
                ? ResourceType.DEPLOYMENTS
                : ResourceType.CONFIG_MAPS;
        ObjectNode untouched = before.deepCopy();
        JsonNode patch = exchange.body();
        JsonNode untouchedPatch = patch.deepCopy();
        ObjectNode patched = switch (exchange.contentType()) {
            case "application/json-patch+json" -> Patches.json(before, patch);
            case "application/merge-patch+json" -> Patches.merge(before, patch);
            default -> Patches.strategicMerge(before, patch,
                    Objects.requireNonNull(Schemas.ofKind(type.apiVersion(), type.kind())));
        };
        assertThat(before).as("%s: the object that was patched", exchange).isEqualTo(untouched);
        assertThat(patch).as("%s: the patch", exchange).isEqualTo(untouchedPatch);
        FieldValidation.prune(type.apiVersion(), type.kind(), patched);
        Defaults.apply(type, patched);
        return FieldManagement.updated(before, patched, "", "", NOW);
    }

    private static void checkSummary(Exchange exchange, ObjectNode after) {
        for (Map.Entry<String, String[]> field : SUMMARY.entrySet()) {
            JsonNode expected = exchange.answer().get(field.getKey());
            assertThat(Json.at(after, field.getValue())).as("%s: %s", exchange, field.getKey())
                    .isEqualTo(expected.isNull() ? null : expected);
        }
        JsonNode podSpec = Objects.requireNonNull(Json.at(after, "spec", "template", "spec"));
        for (String list : List.of("containers", "volumes", "tolerations", "imagePullSecrets", "hostAliases")) {
            JsonNode expected = exchange.answer().get("podspec").get(list);
            assertThat(podSpec.get(list)).as("%s: %s", exchange, list).isEqualTo(expected.isNull() ? null : expected);
        }
    }

    private static void annotate(ObjectNode object, Exchange exchange) {
        Json.child(object, "metadata").set("annotations", exchange.answer().get("annotations").deepCopy());
    }
}
