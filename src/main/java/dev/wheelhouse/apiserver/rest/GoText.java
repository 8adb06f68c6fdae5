package dev.wheelhouse.apiserver.rest;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import tools.jackson.databind.JsonNode;

/** JSON values as Go prints them, for the few messages of upstream that do. */
final class GoText {
    private static final Pattern UNMARSHAL = Pattern.compile("cannot unmarshal (\\w+) into .* of type (\\S+)$");

    private GoText() {}

    /** {@code map[a:b c:[1 2]]}. */
    static String of(JsonNode node) {
        if (node.isObject()) {
            Map<String, String> entries = new TreeMap<>();
            node.properties().forEach(e -> entries.put(e.getKey(), e.getKey() + ":" + of(e.getValue())));
            return "map[" + String.join(" ", entries.values()) + "]";
        }
        if (node.isArray()) {
            List<String> elements = new ArrayList<>();
            node.forEach(element -> elements.add(of(element)));
            return "[" + String.join(" ", elements) + "]";
        }
        return node.isNull() ? "<nil>" : node.asString("");
    }

    /** The decoder's complaint about a type in the words of upstream's converter of unstructured objects. */
    static String conversion(String decoding) {
        Matcher matcher = UNMARSHAL.matcher(decoding);
        if (!matcher.find()) {
            return decoding;
        }
        String given = matcher.group(1).equals("object")
                ? "map"
                : matcher.group(1).equals("array") ? "slice" : matcher.group(1);
        String wanted = matcher.group(2);
        if (wanted.startsWith("map[")) {
            return "cannot restore map from " + given;
        }
        return wanted.startsWith("[]") ? "cannot restore slice from " + given : decoding;
    }
}
