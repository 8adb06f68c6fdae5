package dev.wheelhouse.facts;

import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.BooleanNode;
import tools.jackson.databind.node.IntNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.StringNode;

/**
 * The shape of one API type: an object with fields, or a scalar. Immutable.
 *
 * @param name the full name, {@code io.k8s.api.apps.v1.Deployment}, or a primitive's: {@code string}, {@code integer},
 *     {@code number}, {@code boolean}
 * @param scalar null for an object with fields; else a primitive's name, {@code quantity}, {@code int-or-string},
 *     {@code time}, {@code micro-time}, {@code any} (any JSON, as in parts of a JSON schema) or {@code raw-object} (an
 *     object whose fields are not known, such as a RawExtension)
 * @param fields by JSON name, in the order of the names; empty for a scalar
 * @param atomic whether server-side apply takes an object of this type as a whole
 * @param kinds the kinds that have this type, as {@code apps/v1 Deployment} or {@code v1 Pod}; empty for a type that is
 *     only part of others
 */
public record TypeSchema(String name, @Nullable String scalar, Map<String, Field> fields, boolean atomic,
        List<String> kinds) {

    /** How a field holds values of its type. */
    public enum Shape {
        SINGLE, LIST, MAP,
        /** A map of lists: the {@code extra} of a review's user. */
        MAP_OF_LISTS
    }

    /** The field of that JSON name; null if the type has none. */
    public @Nullable Field field(String fieldName) {
        return fields.get(fieldName);
    }

    /** Whether values are objects with known fields. */
    public boolean isObject() {
        return scalar == null;
    }

    /**
     * One field.
     *
     * @param typeName the name of the value's type, or of an element's where the shape is a list or a map
     * @param format a primitive's format: {@code int32}, {@code int64}, {@code double}, {@code byte}, or empty
     * @param defaultValue the default that OpenAPI declares, or null; the API server's rules have further defaults
     * @param listType {@code atomic}, {@code set}, {@code map} or empty, which means atomic to server-side apply
     * @param listMapKeys the keys of a {@code map} list
     * @param mapType {@code atomic}, {@code granular} or empty; if empty, the value's type decides
     * @param patchStrategies {@code merge}, {@code retainKeys}, {@code replace}, or none
     * @param patchMergeKey the merge key of a {@code merge} list, or empty
     * @param pointer whether a zero value (0, false, an empty text or object) differs from an absent field
     * @param always whether upstream always writes the field, even if it is zero or empty
     * @param goType the Go name of a named scalar type, which upstream's errors show, such as {@code v1.PullPolicy};
     *     empty for others
     * @param numbers the protobuf number of the field, after the numbers of the embedded structs around it; empty if
     *     the type has no protobuf message
     */
    public record Field(String name, Shape shape, String typeName, String format, boolean required,
            @Nullable JsonNode defaultValue, Set<String> enumValues, String listType, List<String> listMapKeys,
            String mapType, Set<String> patchStrategies, String patchMergeKey, boolean pointer,
            boolean always, String goType, List<Integer> numbers) {

        /** The schema of the field's value, or of an element where the shape is a list or a map. */
        public TypeSchema type() {
            TypeSchema type = Schemas.ofName(typeName);
            if (type == null) {
                throw new IllegalStateException("field " + name + " has the type " + typeName
                        + ", which types.tsv does not define: generate it anew");
            }
            return type;
        }

        /** Go's zero value of a value or an element; null for a scalar other than a quantity. */
        public @Nullable JsonNode zero() {
            return switch (typeName) {
                case "string" -> StringNode.valueOf("");
                case "integer", "number" -> IntNode.valueOf(0);
                case "boolean" -> BooleanNode.FALSE;
                default -> type().isObject()
                        ? JsonNodeFactory.instance.objectNode()
                        : "quantity".equals(type().scalar()) ? StringNode.valueOf("0") : null;
            };
        }
    }
}
