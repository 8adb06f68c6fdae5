package dev.wheelhouse.operator;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;

/** Computes the status that a primary object gets (upstream: {@code apimachinery/pkg/api/meta/conditions.go}). */
final class StatusChange {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private StatusChange() {}

    /**
     * The next status.
     *
     * @param primary the whole primary object, as JSON
     * @param wanted the status without conditions, or with all of them; null to keep the stored status
     * @param conditions the conditions to set; others stay
     */
    static ObjectNode next(ResourceType type, JsonNode primary, @Nullable JsonNode wanted,
            List<Decision.Condition> conditions, Instant now) {
        JsonNode stored = primary.path("status");
        ObjectNode next = (wanted instanceof ObjectNode object
                ? object
                : stored instanceof ObjectNode object ? object : JSON.objectNode()).deepCopy();
        if (wanted != null && !next.path("conditions").isArray() && stored.path("conditions").isArray()) {
            next.set("conditions", stored.get("conditions").deepCopy());
        }
        if (!conditions.isEmpty() && !next.path("conditions").isArray()) {
            next.set("conditions", JSON.arrayNode());
        }
        for (Decision.Condition condition : conditions) {
            ObjectNode entry = find((ArrayNode) next.get("conditions"), condition.type());
            if (entry == null) {
                entry = ((ArrayNode) next.get("conditions")).addObject().put("type", condition.type());
            }
            entry.put("status", condition.status() ? "True" : "False").put("reason", condition.reason())
                    .put("message", condition.message());
            if (primary.at("/metadata/generation").isNumber() && hasObservedGeneration(type)) {
                entry.set("observedGeneration", primary.at("/metadata/generation"));
            }
        }
        for (JsonNode each : next.path("conditions")) {
            if (each instanceof ObjectNode condition) {
                setTransitionTime(condition, find(stored.path("conditions"), each.path("type").asString("")), now);
            }
        }
        return next;
    }

    /** Sets the time of a condition: the stored time if its status stays the same, otherwise now. */
    private static void setTransitionTime(ObjectNode condition, @Nullable ObjectNode before, Instant now) {
        if (before != null && before.has("lastTransitionTime")
                && before.path("status").equals(condition.path("status"))) {
            condition.set("lastTransitionTime", before.get("lastTransitionTime"));
        } else if (before != null || !condition.has("lastTransitionTime")) {
            condition.put("lastTransitionTime",
                    ModelJson.time(now.truncatedTo(ChronoUnit.SECONDS).atOffset(ZoneOffset.UTC)));
        }
    }

    private static @Nullable ObjectNode find(JsonNode conditions, String type) {
        for (JsonNode condition : conditions) {
            if (condition instanceof ObjectNode object && object.path("type").asString("").equals(type)) {
                return object;
            }
        }
        return null;
    }

    /**
     * Whether conditions of a type have the field {@code observedGeneration}. Some built-in ones lack it; custom
     * resources should have it.
     */
    private static boolean hasObservedGeneration(ResourceType type) {
        TypeSchema schema = Schemas.ofKind(type.apiVersion(), type.kind());
        for (String step : List.of("status", "conditions", "observedGeneration")) {
            TypeSchema.Field field = schema == null ? null : schema.field(step);
            if (schema != null && field == null) {
                return false;
            }
            schema = field == null ? null : field.type();
        }
        return true;
    }

    /** The merge patch (RFC 7396) that turns {@code before} into {@code after}. */
    static ObjectNode diff(JsonNode before, ObjectNode after) {
        ObjectNode diff = JSON.objectNode();
        for (Map.Entry<String, JsonNode> field : after.properties()) {
            JsonNode old = before.path(field.getKey());
            if (!old.equals(field.getValue())) {
                diff.set(field.getKey(), field.getValue() instanceof ObjectNode object
                        ? diff(old, object)
                        : field.getValue());
            }
        }
        for (Map.Entry<String, JsonNode> field : before.properties()) {
            if (!after.has(field.getKey())) {
                diff.putNull(field.getKey());
            }
        }
        return diff;
    }
}
