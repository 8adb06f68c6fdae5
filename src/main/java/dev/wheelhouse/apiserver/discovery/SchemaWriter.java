package dev.wheelhouse.apiserver.discovery;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.facts.Descriptions;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;
import dev.wheelhouse.facts.TypeSchema.Field;

/** Writes types as OpenAPI schemas. Each is written once and shared by all documents. Thread safe. */
final class SchemaWriter {
    private static final List<String> NAMED_SCALARS = List.of("quantity", "int-or-string", "time", "micro-time", "any",
            "raw-object");

    private final Dialect dialect;
    private final Map<String, ObjectNode> written = new LinkedHashMap<>();

    SchemaWriter(Dialect dialect) {
        this.dialect = dialect;
    }

    /** The schema of a built-in type. */
    synchronized ObjectNode schema(TypeSchema type) {
        ObjectNode known = written.get(type.name());
        if (known == null) {
            known = type.isObject() ? object(type) : scalar(type);
            written.put(type.name(), known);
        }
        return known;
    }

    /** Adds to a set the names of a type and of all types that it refers to, directly or not. */
    static void collect(String typeName, Set<String> into) {
        TypeSchema type = Schemas.ofName(typeName);
        if (type == null || isPrimitive(type) || !into.add(typeName)) {
            return;
        }
        type.fields().values().forEach(field -> collect(field.typeName(), into));
    }

    private ObjectNode object(TypeSchema type) {
        Map<String, String> descriptions = Descriptions.of(type);
        ObjectNode schema = Json.object();
        describe(schema, descriptions.getOrDefault("-", ""));
        schema.put("type", "object");
        ArrayNode required = Json.array();
        if (!type.fields().isEmpty()) {
            ObjectNode properties = schema.putObject("properties");
            type.fields().values().forEach(field -> {
                properties.set(field.name(), property(field, descriptions.getOrDefault(field.name(), "")));
                if (field.required()) {
                    required.add(field.name());
                }
            });
        }
        if (!required.isEmpty()) {
            schema.set("required", required);
        }
        addKinds(schema, type.kinds());
        if (type.atomic()) {
            schema.put("x-kubernetes-map-type", "atomic");
        }
        return schema;
    }

    static void addKinds(ObjectNode schema, List<String> kinds) {
        if (!kinds.isEmpty()) {
            ArrayNode list = schema.putArray("x-kubernetes-group-version-kind");
            for (String kind : kinds) {
                int space = kind.indexOf(' ');
                int slash = kind.indexOf('/');
                list.addObject().put("group", slash < 0 ? "" : kind.substring(0, slash))
                        .put("kind", kind.substring(space + 1)).put("version", kind.substring(slash + 1, space));
            }
        }
    }

    private ObjectNode scalar(TypeSchema type) {
        ObjectNode schema = Json.object();
        describe(schema, Descriptions.of(type).getOrDefault("-", ""));
        switch (type.scalar()) {
            case "time", "micro-time" -> schema.put("type", "string").put("format", "date-time");
            case "quantity" -> oneOf(schema, "string", "number");
            case "int-or-string" -> oneOf(schema.put("format", "int-or-string"), "integer", "string");
            case "raw-object" -> schema.put("type", "object");
            case "any" -> {
            }
            case null, default -> schema.put("type", type.scalar());
        }
        return schema;
    }

    /** OpenAPI v2 has no alternatives; its clients know these named strings. */
    private void oneOf(ObjectNode schema, String first, String second) {
        if (dialect == Dialect.V2) {
            schema.put("type", "string");
        } else {
            schema.putArray("oneOf").add(Json.object().put("type", first)).add(Json.object().put("type", second));
        }
    }

    private ObjectNode property(Field field, String description) {
        ObjectNode property = switch (field.shape()) {
            case SINGLE -> single(field, description);
            case LIST -> holder("array", "items", element(field), description);
            case MAP -> holder("object", "additionalProperties", element(field), description);
            case MAP_OF_LISTS -> holder("object", "additionalProperties",
                    holder("array", "items", element(field), ""), description);
        };
        if (field.defaultValue() != null && dialect == Dialect.V3) {
            property.set("default", field.defaultValue());
        }
        if (!field.enumValues().isEmpty()) {
            ArrayNode values = property.putArray("enum");
            field.enumValues().forEach(values::add);
        }
        putText(property, "x-kubernetes-list-type", field.listType());
        Json.putTexts(property, "x-kubernetes-list-map-keys", field.listMapKeys());
        putText(property, "x-kubernetes-map-type", field.mapType());
        putText(property, "x-kubernetes-patch-merge-key", field.patchMergeKey());
        putText(property, "x-kubernetes-patch-strategy", String.join(",", field.patchStrategies()));
        return property;
    }

    /** In OpenAPI v3 nothing may stand beside a reference, so further attributes go around it. */
    private ObjectNode single(Field field, String description) {
        TypeSchema type = field.type();
        if (isPrimitive(type)) {
            ObjectNode property = Json.object();
            describe(property, description);
            return primitive(property, type, field);
        }
        boolean alone = description.isEmpty() && field.defaultValue() == null && field.patchStrategies().isEmpty()
                && field.mapType().isEmpty();
        return alone ? dialect.ref(type.name()) : dialect.ref(type.name(), description);
    }

    private static ObjectNode holder(String type, String elementField, ObjectNode element, String description) {
        ObjectNode holder = Json.object();
        describe(holder, description);
        holder.put("type", type).set(elementField, element);
        return holder;
    }

    private ObjectNode element(Field field) {
        TypeSchema type = field.type();
        return isPrimitive(type) ? primitive(Json.object(), type, field) : dialect.ref(type.name());
    }

    private static ObjectNode primitive(ObjectNode into, TypeSchema type, Field field) {
        into.put("type", type.name());
        putText(into, "format", field.format());
        return into;
    }

    private static boolean isPrimitive(TypeSchema type) {
        String scalar = type.scalar();
        return scalar != null && !NAMED_SCALARS.contains(scalar);
    }

    private static void describe(ObjectNode node, String description) {
        putText(node, "description", description);
    }

    private static void putText(ObjectNode node, String field, String text) {
        if (!text.isEmpty()) {
            node.put(field, text);
        }
    }
}
