package dev.wheelhouse.operator;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1JSONSchemaProps;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;
import dev.wheelhouse.facts.TypeSchema.Field;

/**
 * The schemas of the official client's model classes, such as {@code V1PodTemplateSpec}, from the facts of Kubernetes'
 * types. They have no descriptions, because a definition with the descriptions of pod templates can exceed the size
 * that {@code kubectl apply} may store in an annotation. They have no lists of allowed values, so that values of a
 * later Kubernetes pass.
 */
final class ModelSchema {
    private ModelSchema() {}

    /** The facts of the type that a model class stands for; null if there are none. */
    static @Nullable TypeSchema fact(Class<?> model) {
        ModelName name = ModelName.of(model);
        if (name == null) {
            return null;
        }
        String group = name.group().isEmpty() ? "." : "." + name.group() + ".";
        String end = "." + name.version() + "." + name.kind();
        return Schemas.all().stream()
                .filter(type -> type.name().endsWith(end) && type.name().contains(group)).findFirst().orElse(null);
    }

    /**
     * The keys by which Kubernetes' own lists of these elements are merged; empty if they are not merged by keys, or if
     * the lists' keys differ.
     */
    static List<String> listKeys(TypeSchema element) {
        List<List<String>> keys = Schemas.all().stream().flatMap(type -> type.fields().values().stream())
                .filter(field -> field.shape() == TypeSchema.Shape.LIST && field.typeName().equals(element.name()))
                .map(Field::listMapKeys).distinct().toList();
        return keys.size() == 1 ? keys.getFirst() : List.of();
    }

    /** @throws IllegalArgumentException if the type contains itself */
    static V1JSONSchemaProps of(TypeSchema type) {
        return of(type, List.of(), List.of());
    }

    /** @param keys fields that identify an element of a list, which must be required or have a default */
    private static V1JSONSchemaProps of(TypeSchema type, List<TypeSchema> within, List<String> keys) {
        if (type.scalar() != null) {
            return scalar(type.scalar(), "");
        }
        if (within.contains(type)) {
            throw new IllegalArgumentException(type.name() + " contains itself");
        }
        List<TypeSchema> path = Stream.concat(within.stream(), Stream.of(type)).toList();
        V1JSONSchemaProps schema = new V1JSONSchemaProps().type("object").properties(new LinkedHashMap<>());
        if (type.atomic()) {
            schema.xKubernetesMapType("atomic");
        }
        type.fields().values().forEach(field -> {
            V1JSONSchemaProps property = field(field, path);
            if (field.required()) {
                schema.addRequiredItem(field.name());
            } else if (keys.contains(field.name())) {
                // A server refuses a list whose key may be absent. Go has an empty text there.
                property._default(field.defaultValue() == null
                        ? ""
                        : ModelJson.read(field.defaultValue(), Object.class));
            }
            schema.putPropertiesItem(field.name(), property);
        });
        return schema;
    }

    private static V1JSONSchemaProps field(Field field, List<TypeSchema> within) {
        TypeSchema type = field.type();
        V1JSONSchemaProps value = type.scalar() == null
                ? of(type, within, field.listMapKeys())
                : scalar(type.scalar(), field.format());
        return switch (field.shape()) {
            case SINGLE -> value;
            case LIST -> {
                V1JSONSchemaProps list = list(value);
                if (!field.listType().isEmpty()) {
                    list.xKubernetesListType(field.listType());
                }
                yield field.listMapKeys().isEmpty() ? list : list.xKubernetesListMapKeys(field.listMapKeys());
            }
            case MAP -> map(value, field);
            case MAP_OF_LISTS -> map(list(value), field);
        };
    }

    static V1JSONSchemaProps list(V1JSONSchemaProps items) {
        return new V1JSONSchemaProps().type("array").items(items);
    }

    static V1JSONSchemaProps map(V1JSONSchemaProps values) {
        return new V1JSONSchemaProps().type("object").additionalProperties(values);
    }

    private static V1JSONSchemaProps map(V1JSONSchemaProps values, Field field) {
        return field.mapType().equals("atomic") ? map(values).xKubernetesMapType("atomic") : map(values);
    }

    /** @param scalar a scalar of {@link TypeSchema}; @param format empty for none */
    static V1JSONSchemaProps scalar(String scalar, String format) {
        return switch (scalar) {
            case "quantity" -> intOrString().pattern("^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)"
                    + "([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$");
            case "int-or-string" -> intOrString();
            case "time", "micro-time" -> new V1JSONSchemaProps().type("string").format("date-time");
            case "any" -> new V1JSONSchemaProps().xKubernetesPreserveUnknownFields(true);
            case "raw-object" -> new V1JSONSchemaProps().type("object").xKubernetesPreserveUnknownFields(true);
            default -> format.isEmpty()
                    ? new V1JSONSchemaProps().type(scalar)
                    : new V1JSONSchemaProps().type(scalar).format(format);
        };
    }

    private static V1JSONSchemaProps intOrString() {
        return new V1JSONSchemaProps().xKubernetesIntOrString(true)
                .addAnyOfItem(new V1JSONSchemaProps().type("integer"))
                .addAnyOfItem(new V1JSONSchemaProps().type("string"));
    }
}
