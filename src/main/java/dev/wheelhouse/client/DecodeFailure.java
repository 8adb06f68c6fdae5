package dev.wheelhouse.client;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ObjectKey;

/**
 * An object that could not be decoded.
 *
 * @param object the object's type and, if it could be read, its key: {@code "pods default/web-1"}
 * @param field the path of the field that did not parse, or empty
 * @param problem the reason
 * @param key the object's key, or null if it could not be read
 */
public record DecodeFailure(String object, String field, String problem, @Nullable ObjectKey key) {
    /** The failure of an object whose key is not known. */
    public DecodeFailure(String object, String field, String problem) {
        this(object, field, problem, null);
    }

    @Override
    public String toString() {
        return object + (field.isEmpty() ? "" : ", field " + field) + ": " + problem;
    }
}
