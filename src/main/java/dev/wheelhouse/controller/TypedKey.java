package dev.wheelhouse.controller;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ObjectKey;

/** A key of a queue that says of which type an object is, or what is done about it, beside the key of the object. */
public interface TypedKey {
    ObjectKey object();

    /** The object of an object key or typed key; null for other keys. */
    static @Nullable ObjectKey objectOf(Object key) {
        return switch (key) {
            case ObjectKey object -> object;
            case TypedKey typed -> typed.object();
            default -> null;
        };
    }

    /** The namespace of a key's object, which has its own share of a queue's retries; empty without an object. */
    static String namespaceOf(Object key) {
        ObjectKey object = objectOf(key);
        return object == null ? "" : object.namespace();
    }
}
