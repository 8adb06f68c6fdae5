package dev.wheelhouse.apiserver.error;

/**
 * One rule that an object breaks (upstream: {@code metav1.StatusCause}).
 *
 * @param field the path of the field: {@code spec.template.spec.containers[0].name}
 * @param reason {@code FieldValueInvalid}, {@code FieldValueRequired}, {@code FieldValueNotSupported}, …
 * @param message in upstream's words: {@code Invalid value: "x": must …}
 */
public record StatusCause(String field, String reason, String message) {
    @Override
    public String toString() {
        return field + ": " + message;
    }
}
