package dev.wheelhouse.facts;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ResourceType;

/**
 * The schemas of all built-in types, read from {@code types.tsv}. Safe for use by many threads.
 *
 * <p>The first look-up indexes the table by type. A type is parsed when it is first asked for, since most never are.
 */
public final class Schemas {
    private static final String RESOURCE = "types.tsv";
    private static final Map<String, TypeSchema> PRIMITIVES = Map.of("string", primitive("string"), "integer",
            primitive("integer"), "number", primitive("number"), "boolean", primitive("boolean"));

    private Schemas() {}

    /** Whether Kubernetes itself defines the type; false for a custom resource. */
    public static boolean isBuiltIn(ResourceType type) {
        return ofKind(type.apiVersion(), type.kind()) != null;
    }

    /** The schema of a kind; null for one that is not built in. */
    public static @Nullable TypeSchema ofKind(String apiVersion, String kind) {
        String name = Facts.KINDS.get(apiVersion + " " + kind);
        return name == null ? null : ofName(name);
    }

    /**
     * The schema of a type; null if there is none.
     *
     * @param name a full name, {@code io.k8s.api.core.v1.Pod}, or a primitive's: {@code string}, {@code integer}, …
     */
    public static @Nullable TypeSchema ofName(String name) {
        TypeSchema known = Facts.PARSED.get(name);
        if (known != null) {
            return known;
        }
        String block = Facts.BLOCKS.get(name);
        if (block == null) {
            return PRIMITIVES.get(name);
        }
        return Facts.PARSED.computeIfAbsent(name, n -> TypeParser.parse(n, block));
    }

    /** The schemas of all types except the primitives, by name. */
    public static Collection<TypeSchema> all() {
        List<TypeSchema> all = new ArrayList<>(Facts.BLOCKS.size());
        for (String name : Facts.BLOCKS.keySet()) {
            TypeSchema type = ofName(name);
            if (type != null) {
                all.add(type);
            }
        }
        return all;
    }

    private static TypeSchema primitive(String name) {
        return new TypeSchema(name, name, Map.of(), false, List.of());
    }

    /** The indexed table, read at the first look-up. */
    private static final class Facts {
        /** The lines of each type, by its name. */
        static final Map<String, String> BLOCKS = new LinkedHashMap<>(1600);
        /** The name of each kind's type, by the kind: {@code apps/v1 Deployment}. */
        static final Map<String, String> KINDS = new LinkedHashMap<>(400);
        static final Map<String, TypeSchema> PARSED = new ConcurrentHashMap<>();

        static {
            String text = readResource(RESOURCE);
            int start = 0;
            while (start < text.length()) {
                int next = text.indexOf("\ntype\t", start);
                int end = next < 0 ? text.length() : next + 1;
                index(text.substring(start, end));
                start = end;
            }
        }

        private static void index(String block) {
            int nameEnd = block.indexOf('\t', 5);
            String name = block.substring(5, nameEnd);
            BLOCKS.put(name, block);
            int lineEnd = block.indexOf('\n');
            for (String kind : TypeParser.kinds(lineEnd < 0 ? block : block.substring(0, lineEnd))) {
                KINDS.put(kind, name);
            }
        }
    }

    /** The text of a file of facts. */
    public static String readResource(String name) {
        try (InputStream in = Schemas.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is not on the class path beside " + Schemas.class.getName());
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("could not read " + name + " from the class path", e);
        }
    }
}
