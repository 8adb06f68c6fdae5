package dev.wheelhouse.apiserver.defaults;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.facts.RuleTables;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;
import dev.wheelhouse.facts.TypeSchema.Field;
import dev.wheelhouse.facts.TypeSchema.Shape;

/**
 * Drops the fields of features that are off in a real server, as {@code gated.tsv} names them. Who sets one owns it all
 * the same (upstream: the functions {@code dropDisabledFields} of the strategies).
 */
public final class GatedFields {
    private static final Map<String, List<String>> ROWS = RuleTables.read("gated.tsv");
    private static final Map<String, Plan> PLANS = new ConcurrentHashMap<>();
    private static final Plan NOTHING = new Plan(List.of(), Map.of());

    /** @param inner the fields that have gated fields, or lead to some */
    private record Plan(List<String> gated, Map<Field, Plan> inner) {
        boolean isEmpty() {
            return gated.isEmpty() && inner.isEmpty();
        }
    }

    private GatedFields() {}

    /** Drops the fields in place. An object of a type that is not built in stays as it is. */
    public static void drop(ResourceType type, ObjectNode object) {
        TypeSchema schema = Schemas.ofKind(type.apiVersion(), type.kind());
        if (schema != null) {
            drop(plan(schema, new HashSet<>()), object);
        }
    }

    /** @param open the types that this one is a part of, perhaps also itself */
    private static Plan plan(TypeSchema type, Set<String> open) {
        Plan known = PLANS.get(type.name());
        if (known != null || !open.add(type.name())) {
            return known == null ? NOTHING : known;
        }
        Map<Field, Plan> inner = new HashMap<>();
        for (Field field : type.fields().values()) {
            List<String> here = gated(type.name() + "." + field.name());
            Plan of = !here.isEmpty() ? new Plan(here, Map.of()) : plan(field.type(), open);
            if (!of.isEmpty()) {
                inner.put(field, of);
            }
        }
        Plan plan = new Plan(gated(type.name()), inner);
        PLANS.put(type.name(), plan);
        return plan;
    }

    private static List<String> gated(String section) {
        return ROWS.getOrDefault(section, List.of()).stream().map(row -> row.split("\t")[0]).toList();
    }

    private static void drop(Plan plan, ObjectNode object) {
        object.remove(plan.gated());
        plan.inner().forEach((field, inner) -> {
            JsonNode value = object.get(field.name());
            if (field.shape() == Shape.SINGLE && value instanceof ObjectNode part) {
                boolean wasEmpty = part.isEmpty();
                drop(inner, part);
                if (part.isEmpty() && !wasEmpty && field.pointer()) {
                    object.remove(field.name());
                }
            } else if (value != null && value.isContainer()) {
                value.forEach(element -> {
                    if (element instanceof ObjectNode part) {
                        drop(inner, part);
                    }
                });
            }
        });
    }
}
