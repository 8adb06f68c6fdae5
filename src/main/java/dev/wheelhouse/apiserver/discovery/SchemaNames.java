package dev.wheelhouse.apiserver.discovery;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;

/** The names under which kinds stand in the documents. */
final class SchemaNames {
    private SchemaNames() {}

    /** A built-in kind's own name; a custom kind's is made of its group backwards, as in {@code com.example.shop.v1.Order}. */
    static String of(String apiVersion, String kind) {
        String name = builtIn(apiVersion, kind);
        if (name != null) {
            return name;
        }
        int slash = apiVersion.indexOf('/');
        List<String> parts = new ArrayList<>(List.of(apiVersion.substring(0, Math.max(0, slash)).split("\\.", -1)));
        Collections.reverse(parts);
        parts.add(apiVersion.substring(slash + 1));
        parts.add(kind);
        return String.join(".", parts);
    }

    /** Null for a kind that has no schema. */
    static @Nullable String builtIn(String apiVersion, String kind) {
        TypeSchema type = Schemas.ofKind(apiVersion, kind);
        return type == null ? null : type.name();
    }
}
