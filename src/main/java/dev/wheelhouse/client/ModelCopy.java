package dev.wheelhouse.client;

import java.lang.reflect.Array;
import java.net.URI;
import java.time.ZoneId;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalAmount;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
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
            case Optional<?> optional -> optional.map(content -> Objects.requireNonNull(of(content, others)));
            case Map<?, ?> map -> {
                Map<Object, @Nullable Object> copy = ModelCollections.emptyLike(map);
                map.forEach((key, element) -> copy.put(key, of(element, others)));
                yield copy;
            }
            case Collection<?> collection -> {
                Collection<@Nullable Object> copy = ModelCollections.emptyLike(collection);
                collection.forEach(element -> copy.add(of(element, others)));
                yield copy;
            }
            case TemporalAccessor time -> time;
            case TemporalAmount amount -> amount;
            case ZoneId zone -> zone;
            case Character character -> character;
            case UUID id -> id;
            case URI address -> address;
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
        if (type.isArray()) {
            Object copy = Array.newInstance(type.getComponentType(), Array.getLength(value));
            for (int i = 0; i < Array.getLength(value); i++) {
                Array.set(copy, i, of(Array.get(value, i), others));
            }
            return copy;
        }
        UnaryOperator<@Nullable Object> parts = each -> of(each, others);
        if (ModelClass.isModel(type)) {
            return ModelClass.of(type).copy(value, parts);
        }
        OwnClass own = OwnClass.of(type);
        return own.isCopyable() ? own.copy(value, parts) : others.apply(value);
    }
}
