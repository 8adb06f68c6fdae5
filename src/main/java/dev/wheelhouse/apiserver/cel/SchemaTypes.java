package dev.wheelhouse.apiserver.cel;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableMap;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypeProvider;
import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.StructType;

/**
 * The CEL types of a structural schema (upstream: {@code apiserver/pkg/cel/common/schemas.go}). An object with
 * properties is a struct with known field names. All that a schema leaves open has a dynamic type.
 */
final class SchemaTypes implements CelTypeProvider {
    /** No expression can contain this name, so CEL never takes a path of fields for a type. */
    private static final String ROOT = "@self";

    private final ImmutableMap<String, CelType> structs;
    private final CelType self;

    /** @param resource whether the schema is that of a whole resource, which has metadata whatever the schema says */
    SchemaTypes(JsonNode schema, boolean resource) {
        Map<String, CelType> found = new HashMap<>();
        this.self = type(schema, ROOT, resource, found);
        this.structs = ImmutableMap.copyOf(found);
    }

    CelType self() {
        return self;
    }

    @Override
    public ImmutableCollection<CelType> types() {
        return structs.values();
    }

    @Override
    public Optional<CelType> findType(String name) {
        return Optional.ofNullable(structs.get(name));
    }

    /** @param structs collects the structs */
    private static CelType type(JsonNode schema, String name, boolean resource, Map<String, CelType> structs) {
        if (schema.path("x-kubernetes-int-or-string").asBoolean(false)
                || schema.path("x-kubernetes-preserve-unknown-fields").asBoolean(false)) {
            return SimpleType.DYN;
        }
        return switch (Json.text(schema, "type")) {
            case "object" -> object(schema, name, resource, structs);
            case "array" -> ListType.create(type(schema.path("items"), name + ".@items", false, structs));
            case "string" -> switch (Json.text(schema, "format")) {
                case "byte" -> SimpleType.BYTES;
                case "date", "date-time" -> SimpleType.TIMESTAMP;
                default -> SimpleType.STRING;
            };
            case "integer" -> SimpleType.INT;
            case "number" -> SimpleType.DOUBLE;
            case "boolean" -> SimpleType.BOOL;
            default -> SimpleType.DYN;
        };
    }

    private static CelType object(JsonNode schema, String name, boolean resource, Map<String, CelType> structs) {
        if (schema.get("additionalProperties") instanceof ObjectNode entry) {
            return MapType.create(SimpleType.STRING, type(entry, name + ".@entries", false, structs));
        }
        Map<String, CelType> fields = new LinkedHashMap<>();
        schema.path("properties").properties().forEach(property -> fields.put(CelValues.escaped(property.getKey()),
                type(property.getValue(), name + "." + property.getKey(), false, structs)));
        if (resource || schema.path("x-kubernetes-embedded-resource").asBoolean(false)) {
            fields.put("apiVersion", SimpleType.STRING);
            fields.put("kind", SimpleType.STRING);
            fields.put("metadata", struct(name + ".metadata",
                    Map.of("name", SimpleType.STRING, "generateName", SimpleType.STRING), structs));
        }
        return struct(name, fields, structs);
    }

    private static CelType struct(String name, Map<String, CelType> fields, Map<String, CelType> structs) {
        ImmutableMap<String, CelType> known = ImmutableMap.copyOf(fields);
        StructType struct = StructType.create(name, known.keySet(),
                field -> Optional.ofNullable(known.get(field)));
        structs.put(name, struct);
        return struct;
    }
}
