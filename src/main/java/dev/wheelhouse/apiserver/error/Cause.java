package dev.wheelhouse.apiserver.error;

/**
 * One reason of a 422: a field, why it is wrong, and in which way.
 *
 * @param field {@code spec.template.spec.containers[0].name}
 * @param reason {@code FieldValueInvalid}, {@code FieldValueRequired}, {@code FieldValueNotSupported}, …
 * @param message as upstream says it: {@code Invalid value: "x": must …}
 */
public record Cause(String field, String reason, String message) {
    @Override
    public String toString() {
        return field + ": " + message;
    }
}
