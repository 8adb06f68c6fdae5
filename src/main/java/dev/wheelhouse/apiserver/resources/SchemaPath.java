package dev.wheelhouse.apiserver.resources;

import java.util.ArrayList;
import java.util.List;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The path of a field as definitions write it, such as {@code .spec['a.b'].c}, followed in a schema (upstream:
 * {@code ValidFieldPath} in {@code apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go}).
 *
 * @param steps the names of the fields; empty if the path is wrong
 * @param schema of the field
 * @param error in upstream's words; empty for a path that leads to a field
 */
record SchemaPath(List<String> steps, JsonNode schema, String error) {
    /** @param brackets whether names may stand in brackets */
    static SchemaPath of(String path, JsonNode root, boolean brackets) {
        List<String> steps = new ArrayList<>();
        JsonNode schema = root;
        int at = 0;
        while (at < path.length()) {
            String token = token(path, at);
            at += token.length();
            boolean bracket = token.equals("[");
            if (!bracket && !token.equals(".")) {
                return wrong("expected [ or . but got: " + token);
            }
            if (bracket && !brackets) {
                return wrong("array notation is not allowed");
            }
            if (at >= path.length()) {
                return wrong("unexpected end of JSON path");
            }
            String name = token(path, at);
            at += name.length();
            if (bracket) {
                if (name.length() < 2 || name.charAt(0) != '\'' || !name.endsWith("'")) {
                    return wrong("expected single quoted string but got " + name);
                }
                name = unescaped(name.substring(1, name.length() - 1));
            }
            JsonNode next = schema.path("properties").get(name);
            if (schema.path("properties").isEmpty() && schema.get("additionalProperties") instanceof ObjectNode entry) {
                next = entry;
            }
            if (next == null) {
                return wrong("does not refer to a valid field");
            }
            if (bracket) {
                String end = at < path.length() ? token(path, at) : "";
                at += end.length();
                if (!end.equals("]")) {
                    return wrong(end.isEmpty() ? "unexpected end of JSON path" : "expected ] but got " + end);
                }
            }
            steps.add(name);
            schema = next;
        }
        return new SchemaPath(steps, schema, "");
    }

    /** A text without Go's escapes. */
    private static String unescaped(String text) {
        try {
            return text.replace("\\a", "\u0007").replace("\\v", "\u000b").translateEscapes();
        } catch (IllegalArgumentException e) {
            return text;
        }
    }

    private static SchemaPath wrong(String error) {
        return new SchemaPath(List.of(), MissingNode.getInstance(), error);
    }

    /** A delimiter, a quoted text, or the characters up to the next delimiter. */
    private static String token(String path, int from) {
        boolean quoted = path.charAt(from) == '\'';
        for (int i = from; i < path.length(); i++) {
            char c = path.charAt(i);
            if (quoted) {
                if (i > from && c == '\'' && path.charAt(i - 1) != '\\') {
                    return path.substring(from, i + 1);
                }
            } else if (c == '.' || c == '[' || c == ']') {
                return path.substring(from, Math.max(i, from + 1));
            }
        }
        return path.substring(from);
    }
}
