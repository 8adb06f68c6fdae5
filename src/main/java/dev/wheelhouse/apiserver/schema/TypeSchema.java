package dev.wheelhouse.apiserver.schema;

import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

/**
 * The shape of one API type: its fields, or what kind of scalar it is.
 *
 * @param name the full name, {@code io.k8s.api.apps.v1.Deployment}
 * @param scalar null for an object; else {@code string}, {@code integer}, {@code number}, {@code boolean}, {@code any}
 *     (unstructured), {@code quantity}, {@code int-or-string}, {@code time}, {@code micro-time}, {@code raw-object}, …
 * @param atomic whether server-side apply takes an object of this type as a whole
 */
public record TypeSchema(String name, @Nullable String scalar, Map<String, Field> fields, boolean atomic) {

    /** How a field holds values of its type. */
    public enum Shape {
        SINGLE, LIST, MAP
    }

    /**
     * @param typeName the element type's name: a primitive's or a type's in the same {@link Schemas}
     * @param format of a primitive: {@code int32}, {@code int64}, {@code double}, {@code byte}, {@code date-time}, or empty
     * @param listType {@code atomic}, {@code set}, {@code map} or empty
     * @param listMapKeys the keys of a {@code map} list
     * @param patchStrategies {@code merge}, {@code retainKeys}, or none
     * @param patchMergeKey the merge key of a {@code merge} list, or empty
     */
    public record Field(String name, Shape shape, String typeName, String format, boolean required,
            @Nullable JsonNode defaultValue,
            Set<String> enumValues, String listType, List<String> listMapKeys, String mapType,
            Set<String> patchStrategies,
            String patchMergeKey) {}
}
