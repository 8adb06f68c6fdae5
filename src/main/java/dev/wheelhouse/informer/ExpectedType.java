package dev.wheelhouse.informer;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.client.DecodeFailure;

/**
 * The class of the objects that a Reflector accepts (upstream: {@code expectedType} in client-go
 * {@code tools/cache/reflector.go}).
 * @param type null accepts any class
 */
record ExpectedType<T>(@Nullable Class<T> type) {

    boolean accepts(Object object) {
        return type == null || type.isInstance(object);
    }

    /** The failure to report for an object of another class. */
    DecodeFailure failure(Object object) {
        return new DecodeFailure("an object", "", "expected " + (type == null ? "anything" : type.getName()) + ", got "
                + object.getClass().getName());
    }
}
