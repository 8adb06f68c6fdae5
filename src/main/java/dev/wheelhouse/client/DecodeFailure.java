package dev.wheelhouse.client;

/**
 * An object that could not be decoded.
 *
 * @param object its type and key, as far as they could be read: {@code "pods default/web-1"}
 * @param field the path of the field that did not parse, or empty
 * @param problem what is wrong with it
 */
public record DecodeFailure(String object, String field, String problem) {
    @Override
    public String toString() {
        return object + (field.isEmpty() ? "" : ", field " + field) + ": " + problem;
    }
}
