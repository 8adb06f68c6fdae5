package dev.wheelhouse.apiserver.schema;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

import dev.wheelhouse.apiserver.json.Json;

/** Finds duplicate keys in the objects of a JSON text, and reports them in upstream's words. */
final class DuplicateFields {
    private final Deque<Container> containers = new ArrayDeque<>();
    private final StrictErrors found = new StrictErrors();

    private DuplicateFields() {}

    /**
     * An object or array that is not closed yet. {@code at} is its path, {@code keys} are its keys so far, {@code key}
     * is the present one, {@code index} is the position in an array.
     */
    private static final class Container {
        final FieldPath at;
        final boolean array;
        final Set<String> keys = new HashSet<>();
        String key = "";
        int index;

        Container(FieldPath at, boolean array) {
            this.at = at;
            this.array = array;
        }

        FieldPath place() {
            return array ? at.index(index) : at.child(key);
        }
    }

    /** @param json a valid JSON text */
    static List<String> in(byte[] json) {
        DuplicateFields search = new DuplicateFields();
        try (JsonParser parser = Json.mapper().createParser(json)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                search.take(token, parser);
            }
        }
        return search.found.toList();
    }

    private void take(JsonToken token, JsonParser parser) {
        Container open = containers.peek();
        switch (token) {
            case START_OBJECT, START_ARRAY ->
                containers.push(
                        new Container(open == null ? FieldPath.ROOT : open.place(), token == JsonToken.START_ARRAY));
            case END_OBJECT, END_ARRAY -> {
                containers.pop();
                ended();
            }
            case PROPERTY_NAME -> {
                if (open != null) {
                    open.key = parser.currentName();
                    if (!open.keys.add(open.key)) {
                        found.add(() -> "duplicate field \"" + open.place() + "\"");
                    }
                }
            }
            default -> ended();
        }
    }

    private void ended() {
        Container open = containers.peek();
        if (open != null && open.array) {
            open.index++;
        }
    }
}
