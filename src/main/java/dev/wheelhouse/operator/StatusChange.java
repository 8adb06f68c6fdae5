package dev.wheelhouse.operator;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;

/**
 * A wanted change of a primary object's status (upstream: {@code apimachinery/pkg/api/meta/conditions.go}).
 *
 * @param status the wanted status, with or without conditions; null to keep the stored status
 * @param conditions the conditions to set; those of other types stay
 * @param gone the types of the conditions to remove
 * @param fields the fields that the wanted status has or removes; empty for all
 */
record StatusChange(@Nullable JsonNode status, List<Decision.Condition> conditions, List<String> gone,
        Set<String> fields) {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final String CONDITIONS = "conditions";
    private static final String OBSERVED = "observedGeneration";

    boolean isNothing() {
        return status == null && conditions.isEmpty() && gone.isEmpty();
    }

    /** A field of the wanted status that is not among the declared ones; null if there is none. */
    @Nullable
    String undeclaredField() {
        return status == null || fields.isEmpty()
                ? null
                : status.propertyNames().stream().filter(name -> !fields.contains(name) && !name.equals(CONDITIONS))
                        .findFirst().orElse(null);
    }

    /**
     * The next status. Its conditions are the stored ones, over which the wanted ones are laid by their types.
     *
     * @param primary the whole primary object, as JSON
     */
    ObjectNode next(ResourceType type, JsonNode primary, Instant now) {
        JsonNode stored = primary.path("status");
        ObjectNode next = (status instanceof ObjectNode wanted && fields.isEmpty()
                ? wanted
                : stored instanceof ObjectNode object ? object : JSON.objectNode()).deepCopy();
        if (status != null && !fields.isEmpty()) {
            next.remove(fields).remove(CONDITIONS);
            next.setAll((ObjectNode) status.deepCopy());
        }
        if (!isMergeable(next.path(CONDITIONS)) || !isMergeable(stored.path(CONDITIONS))) {
            return next;
        }
        ArrayNode merged = stored.path(CONDITIONS) instanceof ArrayNode known ? known.deepCopy() : JSON.arrayNode();
        for (JsonNode own : next.path(CONDITIONS)) {
            // The generation is of the operator's last call for this condition. A status class may not have it.
            entry(merged, own.path("type").asString("")).retain(OBSERVED).setAll((ObjectNode) own);
        }
        for (Decision.Condition condition : conditions) {
            ObjectNode entry = entry(merged, condition.type()).put("status", condition.status().toString())
                    .put("reason", condition.reason())
                    // Exceptions may have no message, which servers require.
                    .put("message", Objects.requireNonNullElse(condition.message(), ""));
            if (primary.at("/metadata/generation").isNumber() && hasObservedGeneration(type)) {
                entry.set(OBSERVED, primary.at("/metadata/generation"));
            }
        }
        merged.removeIf(entry -> gone.contains(entry.path("type").asString("")));
        for (JsonNode each : merged) {
            setTransitionTime((ObjectNode) each, find(stored.path(CONDITIONS), each.path("type").asString("")), now);
        }
        if (!merged.isEmpty() || next.has(CONDITIONS)) {
            next.set(CONDITIONS, merged);
        }
        return next;
    }

    /** Whether this is a list of objects, or nothing. A status class may call something else conditions. */
    private static boolean isMergeable(JsonNode conditions) {
        return conditions.isMissingNode() || conditions.isNull()
                || conditions.isArray() && conditions.valueStream().allMatch(JsonNode::isObject);
    }

    private static ObjectNode entry(ArrayNode conditions, String type) {
        ObjectNode known = find(conditions, type);
        return known != null ? known : conditions.addObject().put("type", type);
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

    /** The types of the conditions that this sets. */
    Set<String> types() {
        Set<String> types = new HashSet<>();
        conditions.forEach(condition -> types.add(condition.type()));
        if (status != null) {
            status.path("conditions").forEach(condition -> types.add(condition.path("type").asString("")));
        }
        return types;
    }

    /** The condition of a type; null if there is none. */
    static @Nullable ObjectNode find(JsonNode conditions, String type) {
        return conditions.valueStream().filter(ObjectNode.class::isInstance).map(ObjectNode.class::cast)
                .filter(condition -> condition.path("type").asString("").equals(type)).findFirst().orElse(null);
    }

    /**
     * Whether conditions of a type have the field {@code observedGeneration}. Some built-in ones lack it; custom
     * resources should have it.
     */
    private static boolean hasObservedGeneration(ResourceType type) {
        TypeSchema schema = Schemas.ofKind(type.apiVersion(), type.kind());
        for (String step : List.of("status", CONDITIONS, OBSERVED)) {
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
