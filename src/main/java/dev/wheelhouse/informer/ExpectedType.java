package dev.wheelhouse.informer;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.client.DecodeFailure;

/** Which objects a Reflector takes (upstream: {@code expectedType} in client-go {@code tools/cache/reflector.go}). */
record ExpectedType<T>(@Nullable Class<T> type) {

    boolean isMetBy(Object object) {
        return type == null || type.isInstance(object);
    }

    /** What is wrong with one that is of another type. */
    DecodeFailure failure(Object object) {
        return new DecodeFailure("an object", "", "expected " + (type == null ? "anything" : type.getName()) + ", got "
                + object.getClass().getName());
    }
}
