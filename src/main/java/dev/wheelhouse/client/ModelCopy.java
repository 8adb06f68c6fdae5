package dev.wheelhouse.client;

import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;

/**
 * Deep copies of model objects, field by field. This takes a tenth of the time of writing an object as JSON and reading
 * it again. The copy shares the values that never change.
 */
final class ModelCopy {
    private ModelCopy() {}

    /** @param others copies an object that is neither a model, nor a collection, nor a plain value */
    static @Nullable Object of(@Nullable Object value, UnaryOperator<Object> others) {
        return switch (value) {
            case null -> null;
            case String text -> text;
            case Number number -> number;
            case Boolean flag -> flag;
            case Enum<?> constant -> constant;
            case OffsetDateTime time -> time;
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
            default -> ModelClass.isModel(value.getClass())
                    ? ModelClass.of(value.getClass()).copy(value, each -> of(each, others))
                    : others.apply(value);
        };
    }
}
