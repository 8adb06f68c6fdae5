package dev.wheelhouse.client;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ObjectKey;

/**
 * An object that could not be decoded.
 *
 * @param object its type and key, as far as they could be read: {@code "pods default/web-1"}
 * @param field the path of the field that did not parse, or empty
 * @param problem what is wrong with it
 * @param key its key, or null if that could not be read either
 */
public record DecodeFailure(String object, String field, String problem, @Nullable ObjectKey key) {
    /** One whose key is not known. */
    public DecodeFailure(String object, String field, String problem) {
        this(object, field, problem, null);
    }

    @Override
    public String toString() {
        return object + (field.isEmpty() ? "" : ", field " + field) + ": " + problem;
    }
}
