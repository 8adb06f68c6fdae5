package dev.wheelhouse.cel;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypeProvider;
import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.StructType;

/**
 * The CEL types of schemas (upstream: {@code apiserver/pkg/cel/common/schemas.go}, {@code openapi/resolver/refs.go}).
 * An object with properties is a struct with known field names. Expressions cannot see a field whose schema has no
 * type. For one thread.
 */
@SuppressWarnings("Immutable") // It grows while the types of one check are declared.
final class SchemaTypes implements CelTypeProvider {
    private static final String REFERENCE = "#/components/schemas/";
    private static final JsonNode CIRCULAR = JsonNodeFactory.instance.objectNode().put("type", "object");

    private final Map<String, CelType> structs = new LinkedHashMap<>();

    /**
     * The type of a schema.
     *
     * @param name for the structs in it. No name in an expression may equal it
     * @param resource whether the schema is that of a whole resource, which has metadata whatever the schema says
     * @param definitions the schemas that references name
     * @return null if expressions cannot see the value
     */
    @Nullable
    CelType declare(String name, JsonNode schema, boolean resource, JsonNode definitions) {
        return new Declaration(definitions).type(schema, name, resource);
    }

    /** Adds a struct, or replaces the one of this name. */
    CelType declare(String name, Map<String, CelType> fields) {
        ImmutableMap<String, CelType> known = ImmutableMap.copyOf(fields);
        StructType struct = StructType.create(name, known.keySet(), field -> Optional.ofNullable(known.get(field)));
        structs.put(name, struct);
        return struct;
    }

    @Override
    public ImmutableCollection<CelType> types() {
        return ImmutableList.copyOf(structs.values());
    }

    @Override
    public Optional<CelType> findType(String name) {
        return Optional.ofNullable(structs.get(name));
    }

    private final class Declaration {
        private final JsonNode definitions;
        private final Set<String> open = new HashSet<>();

        Declaration(JsonNode definitions) {
            this.definitions = definitions;
        }

        /** A schema that contains itself is an object without fields where it does. */
        @Nullable
        CelType type(JsonNode schema, String name, boolean resource) {
            String reference = reference(schema);
            if (reference == null) {
                return typed(schema, name, resource);
            }
            if (!open.add(reference)) {
                return typed(CIRCULAR, name, resource);
            }
            try {
                return typed(definitions.path(reference), name, resource);
            } finally {
                open.remove(reference);
            }
        }

        private @Nullable CelType typed(JsonNode schema, String name, boolean resource) {
            if (schema.path("x-kubernetes-int-or-string").asBoolean(false)
                    || Json.text(schema, "format").equals("int-or-string")) {
                return SimpleType.DYN;
            }
            return switch (resource ? "object" : Json.text(schema, "type")) {
                case "object" -> object(schema, name, resource);
                case "array" -> {
                    CelType element = nested(schema.path("items"), name + ".@idx");
                    yield element == null ? null : ListType.create(element);
                }
                case "string" -> switch (Json.text(schema, "format")) {
                    case "byte" -> SimpleType.BYTES;
                    case "duration" -> SimpleType.DURATION;
                    case "date", "date-time" -> SimpleType.TIMESTAMP;
                    default -> SimpleType.STRING;
                };
                case "integer" -> SimpleType.INT;
                case "number" -> SimpleType.DOUBLE;
                case "boolean" -> SimpleType.BOOL;
                default -> null;
            };
        }

        private @Nullable CelType nested(JsonNode schema, String name) {
            return type(schema, name, schema.path("x-kubernetes-embedded-resource").asBoolean(false));
        }

        private @Nullable CelType object(JsonNode schema, String name, boolean resource) {
            if (schema.get("additionalProperties") instanceof ObjectNode entry) {
                CelType value = nested(entry, name + ".@elem");
                return value == null ? null : MapType.create(SimpleType.STRING, value);
            }
            Map<String, CelType> fields = new LinkedHashMap<>();
            schema.path("properties").properties().forEach(property -> {
                CelType type = nested(property.getValue(), name + "." + property.getKey());
                if (type != null) {
                    String escaped = CelValues.escaped(property.getKey());
                    fields.put(escaped, type);
                    if (escaped.equals("__" + property.getKey() + "__")) {
                        fields.put(property.getKey(), type); // A keyword may stand after a dot.
                    }
                }
            });
            if (resource) {
                fields.put("apiVersion", SimpleType.STRING);
                fields.put("kind", SimpleType.STRING);
                if (!(fields.get("metadata") instanceof StructType metadata && metadata.fieldNames().contains("name")
                        && metadata.fieldNames().contains("generateName"))) {
                    fields.put("metadata", declare(name + ".metadata",
                            Map.of("name", SimpleType.STRING, "generateName", SimpleType.STRING)));
                }
            }
            return declare(name, fields);
        }

        /** The name of the schema that stands in the place of this one; null for none. */
        private static @Nullable String reference(JsonNode schema) {
            String reference = Json.text(schema, "$ref");
            for (JsonNode part : schema.path("allOf")) {
                reference = reference.isEmpty() ? Json.text(part, "$ref") : reference;
            }
            return reference.isEmpty() ? null : reference.substring(REFERENCE.length());
        }
    }
}
