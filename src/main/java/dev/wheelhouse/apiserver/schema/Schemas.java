package dev.wheelhouse.apiserver.schema;

import java.util.Collection;

import org.jspecify.annotations.Nullable;

/** The schemas of all built-in types, read once from the facts of Kubernetes 1.36. */
public final class Schemas {
    private Schemas() {}

    /** The schema of a kind; null for one that is not built in. */
    public static @Nullable TypeSchema ofKind(String apiVersion, String kind) {
        throw new UnsupportedOperationException();
    }

    /** The schema by full type name; null if there is none. */
    public static @Nullable TypeSchema ofName(String name) {
        throw new UnsupportedOperationException();
    }

    /** All of them. */
    public static Collection<TypeSchema> all() {
        throw new UnsupportedOperationException();
    }
}
