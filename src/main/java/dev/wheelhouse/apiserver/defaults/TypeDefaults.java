package dev.wheelhouse.apiserver.defaults;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.NullNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.TooLargeException;
import dev.wheelhouse.apiserver.work.Deadline;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;
import dev.wheelhouse.facts.TypeSchema.Field;
import dev.wheelhouse.facts.TypeSchema.Shape;

/**
 * Fills in the defaults of built-in types (upstream: {@code pkg/apis/<group>/<version>/defaults.go}, and the values
 * that its registry strategies put into every new namespace, pod and service).
 *
 * <p>One walk over the object along its schema: each object gets the fields that its type always has, then the rule of
 * its type applies, then the same is done to its children. A second walk changes nothing. Admission and the strategies
 * fill in the values that depend on the cluster: addresses, tokens, service accounts, priorities.
 */
public final class TypeDefaults {
    private final Map<String, Consumer<ObjectNode>> rules;
    private final Map<String, Plan> plans = new ConcurrentHashMap<>();

    /** @param rules what the schema does not say, by the full names of types */
    public TypeDefaults(Map<String, Consumer<ObjectNode>> rules) {
        this.rules = Map.copyOf(rules);
    }

    /**
     * Sets the missing fields that have defaults, in place. An object of a type that is not built in stays as it is.
     *
     * @throws dev.wheelhouse.apiserver.json.TooLargeException if the object would become too large
     */
    public void apply(ResourceType type, ObjectNode object) {
        TypeSchema schema = Schemas.ofKind(type.apiVersion(), type.kind());
        if (schema != null) {
            apply(plan(schema), object, new Growth());
        }
    }

    /**
     * Bounds the bytes that defaults add to one object, because an object with a million empty containers is small
     * before its defaults. Counts names and punctuation only.
     */
    private static final class Growth {
        private long bytes;

        void add(String field) {
            bytes += field.length() + 4L;
            if (bytes > TooLargeException.MOST_BYTES) {
                throw new TooLargeException("the object would have " + bytes + " bytes of defaults");
            }
        }
    }

    /**
     * The steps that fill in the defaults of objects of one type.
     *
     * @param filled fields to fill in where they are missing
     * @param children fields whose objects have plans of their own
     */
    private record Plan(List<Field> filled, @Nullable Consumer<ObjectNode> rule, Map<String, Field> children) {}

    private Plan plan(TypeSchema type) {
        Plan known = plans.get(type.name());
        return known != null ? known : plans.computeIfAbsent(type.name(), name -> newPlan(type));
    }

    private Plan newPlan(TypeSchema type) {
        List<Field> filled = new ArrayList<>();
        Map<String, Field> children = new HashMap<>();
        for (Field field : type.fields().values()) {
            // Go writes a zero value only if a pointer tells it from nothing.
            boolean declared = field.defaultValue() != null && (field.pointer() || !isZero(field.defaultValue()));
            // A list that Go always writes is null when it is missing.
            if (field.always() || field.shape() == Shape.SINGLE && declared) {
                filled.add(field);
            }
            if (field.shape() != Shape.MAP_OF_LISTS && field.type().isObject()
                    && !field.typeName().endsWith(".ObjectMeta")) {
                children.put(field.name(), field);
            }
        }
        return new Plan(List.copyOf(filled), rules.get(type.name()), Map.copyOf(children));
    }

    private void apply(Plan plan, ObjectNode object, Growth growth) {
        Deadline.check();
        for (Field field : plan.filled()) {
            JsonNode present = object.get(field.name());
            if (present == null || present.isNull()) {
                JsonNode value = initial(field);
                if (value != null) {
                    growth.add(field.name());
                    object.set(field.name(), value);
                }
            }
        }
        if (plan.rule() != null) {
            plan.rule().accept(object);
        }
        for (Map.Entry<String, JsonNode> property : object.properties()) {
            JsonNode value = property.getValue();
            if (!value.isContainer()) {
                continue;
            }
            Field child = plan.children().get(property.getKey());
            if (child == null) {
                continue;
            }
            Plan childPlan = plan(child.type());
            if (child.shape() == Shape.SINGLE) {
                if (value instanceof ObjectNode inner) {
                    apply(childPlan, inner, growth);
                }
            } else {
                for (JsonNode element : value) {
                    if (element instanceof ObjectNode inner) {
                        apply(childPlan, inner, growth);
                    }
                }
            }
        }
    }

    private static boolean isZero(JsonNode value) {
        return value.isBoolean()
                ? !value.booleanValue()
                : value.isNumber() ? value.decimalValue().signum() == 0 : value.asString("-").isEmpty();
    }

    /** The declared default, or the zero value; null where the zero value is not written. */
    private static @Nullable JsonNode initial(Field field) {
        if (field.defaultValue() != null) {
            return field.defaultValue().deepCopy();
        }
        JsonNode zero = field.shape() == Shape.SINGLE ? field.zero() : NullNode.getInstance();
        return zero == null && String.valueOf(field.type().scalar()).endsWith("time") ? NullNode.getInstance() : zero;
    }
}
