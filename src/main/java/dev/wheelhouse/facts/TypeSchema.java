package dev.wheelhouse.facts;

import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

/**
 * The shape of one API type: its fields, or what kind of scalar it is. Immutable.
 *
 * @param name the full name, {@code io.k8s.api.apps.v1.Deployment}; of a primitive {@code string}, {@code integer}, {@code number} or
 *     {@code boolean}
 * @param scalar null for an object with fields; else {@code string}, {@code integer}, {@code number}, {@code boolean}, {@code quantity},
 *     {@code int-or-string}, {@code time}, {@code micro-time}, {@code any} (any JSON: a JSON schema's parts), {@code raw-object} (an object
 *     whose fields are not known here: a RawExtension, a FieldsV1)
 * @param fields by JSON name, in the order of the names; empty for a scalar
 * @param atomic whether server-side apply takes an object of this type as a whole
 * @param kinds the API kinds that have this type, as {@code apps/v1 Deployment}, {@code v1 Pod}; empty for a type that is only part of others
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
     * @param typeName the element type's name: a primitive's or a type's in the same {@link Schemas}
     * @param format of a primitive: {@code int32}, {@code int64}, {@code double}, {@code byte}, or empty
     * @param defaultValue what upstream's structural schema says; the API server has the real ones
     * @param listType {@code atomic}, {@code set}, {@code map} or empty, which means atomic to server-side apply
     * @param listMapKeys the keys of a {@code map} list
     * @param mapType {@code atomic}, {@code granular} or empty, which means: as the type says
     * @param patchStrategies {@code merge}, {@code retainKeys}, {@code replace}, or none
     * @param patchMergeKey the merge key of a {@code merge} list, or empty
     * @param pointer whether a zero value (0, false, an empty text or object) differs from an absent field
     * @param always whether the field is there even if it is zero or empty
     * @param goType what upstream's decoder calls the type of a primitive where it has a name ({@code v1.PullPolicy}), or empty
     */
    public record Field(String name, Shape shape, String typeName, String format, boolean required,
            @Nullable JsonNode defaultValue,
            Set<String> enumValues, String listType, List<String> listMapKeys, String mapType,
            Set<String> patchStrategies,
            String patchMergeKey, boolean pointer, boolean always, String goType) {

        /** The schema of the field's value, or of an element of it where it is a list or a map. */
        public TypeSchema type() {
            TypeSchema type = Schemas.ofName(typeName);
            if (type == null) {
                throw new IllegalStateException("field " + name + " has the type " + typeName
                        + ", which the schema facts do not define: correct types.tsv");
            }
            return type;
        }
    }
}
