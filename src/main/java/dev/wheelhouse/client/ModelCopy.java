package dev.wheelhouse.client;

import java.time.temporal.Temporal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import com.google.gson.JsonElement;

import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.Unstructured;

/**
 * Deep copies of models, records and objects of plain classes, field by field. This takes at most a third of the time
 * of a copy through JSON. The copy shares the values that never change.
 */
final class ModelCopy {
    private ModelCopy() {}

    /** @param others copies an object that cannot be copied by its fields */
    static @Nullable Object of(@Nullable Object value, UnaryOperator<Object> others) {
        return switch (value) {
            case null -> null;
            case String text -> text;
            case Number number -> number;
            case Boolean flag -> flag;
            case Enum<?> constant -> constant;
            case Quantity quantity -> quantity;
            case IntOrString either -> either;
            case byte[] bytes -> bytes.clone();
            case Map<?, ?> map -> {
                Map<Object, @Nullable Object> copy = LinkedHashMap.newLinkedHashMap(map.size());
                map.forEach((key, element) -> copy.put(key, of(element, others)));
                yield copy;
            }
            case List<?> list -> {
                List<@Nullable Object> copy = new ArrayList<>(list.size());
                list.forEach(element -> copy.add(of(element, others)));
                yield copy;
            }
            case Set<?> set -> {
                Set<@Nullable Object> copy = LinkedHashSet.newLinkedHashSet(set.size());
                set.forEach(element -> copy.add(of(element, others)));
                yield copy;
            }
            case Temporal time -> time;
            case JsonNode tree -> tree.deepCopy();
            case JsonElement tree -> tree.deepCopy();
            case Unstructured object -> {
                Unstructured copy = new Unstructured();
                copy.setApiVersion(object.getApiVersion());
                copy.setKind(object.getKind());
                copy.setMetadata((V1ObjectMeta) Objects.requireNonNull(of(object.getMetadata(), others)));
                object.getContent().forEach((field, content) -> copy.set(field, of(content, others)));
                yield copy;
            }
            default -> ofObject(value, others);
        };
    }

    private static Object ofObject(Object value, UnaryOperator<Object> others) {
        Class<?> type = value.getClass();
        UnaryOperator<@Nullable Object> parts = each -> of(each, others);
        if (ModelClass.isModel(type)) {
            return ModelClass.of(type).copy(value, parts);
        }
        OwnClass own = OwnClass.of(type);
        return own.isCopyable() ? own.copy(value, parts) : others.apply(value);
    }
}
