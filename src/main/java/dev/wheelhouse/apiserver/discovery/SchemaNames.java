package dev.wheelhouse.apiserver.discovery;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;

/** The names of kinds' schemas in the documents. */
final class SchemaNames {
    private SchemaNames() {}

    /** For a custom kind the reversed group is part of the name, as in {@code com.example.shop.v1.Order}. */
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

    /** The name of a built-in type; null for any other kind. */
    static @Nullable String builtIn(String apiVersion, String kind) {
        TypeSchema type = Schemas.ofKind(apiVersion, kind);
        return type == null ? null : type.name();
    }
}
