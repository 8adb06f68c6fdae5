package dev.wheelhouse.operator.webhook;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The changes that a method made, as a JSON patch of the object that the API server sent. */
final class JsonDiff {
    private JsonDiff() {}

    /**
     * The patch that makes the change from {@code before} to {@code after} in the original. Both are what the method's
     * class reads from the original, so they may lack some of its fields and have others, such as defaults of the
     * class.
     */
    static ArrayNode patch(JsonNode original, JsonNode before, JsonNode after) {
        ArrayNode operations = JsonNodeFactory.instance.arrayNode();
        diff(original, merged(original, before, after), "", operations);
        return operations;
    }

    private static JsonNode merged(JsonNode original, JsonNode before, JsonNode after) {
        if (before.equals(after)) {
            return original;
        }
        if (original instanceof ObjectNode known && before instanceof ObjectNode && after instanceof ObjectNode) {
            ObjectNode merged = known.objectNode();
            TreeSet<String> names = new TreeSet<>(known.propertyNames());
            names.addAll(after.propertyNames());
            for (String name : names) {
                if (before.has(name) && !after.has(name)) {
                    continue;
                }
                JsonNode value = merged(known.path(name), before.path(name), after.path(name));
                if (!value.isMissingNode()) {
                    merged.set(name, value);
                }
            }
            return merged;
        }
        if (original instanceof ArrayNode known && before instanceof ArrayNode && after instanceof ArrayNode
                && known.size() == before.size()) {
            ArrayNode merged = known.arrayNode();
            Origins origins = new Origins(before, after);
            for (int i = 0; i < after.size(); i++) {
                int from = origins.of(i);
                merged.add(from < 0 ? after.get(i) : merged(known.get(from), before.get(from), after.get(i)));
            }
            return merged;
        }
        return after;
    }

    /**
     * Finds where the elements of a changed list come from, in linear time: the list is as long as a client makes it.
     * The maps' keys are texts, because other keys may be chosen so that their hashes collide.
     */
    private static final class Origins {
        private final JsonNode before;
        private final JsonNode after;
        private final Map<String, Integer> byContent = new HashMap<>();
        private final Map<String, Integer> byName = new HashMap<>();

        Origins(JsonNode before, JsonNode after) {
            this.before = before;
            this.after = after;
            for (int i = 0; i < before.size(); i++) {
                byContent.putIfAbsent(before.get(i).toString(), i);
                if (before.get(i).has("name")) {
                    byName.putIfAbsent(before.get(i).get("name").toString(), i);
                }
            }
        }

        /**
         * The index that an element of {@code after} has in {@code before}: of an equal element, else of one with the
         * same name, else the same index if both lists are as long; -1 for a new element.
         */
        int of(int index) {
            JsonNode element = after.get(index);
            Integer equal = byContent.get(element.toString());
            if (equal != null) {
                return equal;
            }
            if (element.has("name")) {
                return byName.getOrDefault(element.get("name").toString(), -1);
            }
            return before.size() == after.size() ? index : -1;
        }
    }

    private static void diff(JsonNode from, JsonNode to, String path, ArrayNode operations) {
        if (from.equals(to)) {
            return;
        }
        if (from instanceof ObjectNode && to instanceof ObjectNode) {
            TreeSet<String> names = new TreeSet<>(from.propertyNames());
            names.addAll(to.propertyNames());
            for (String name : names) {
                String at = path + "/" + name.replace("~", "~0").replace("/", "~1");
                if (!to.has(name)) {
                    operations.addObject().put("op", "remove").put("path", at);
                } else if (from.has(name)) {
                    diff(from.path(name), to.path(name), at, operations);
                } else {
                    operations.addObject().put("op", "add").put("path", at).set("value", to.path(name));
                }
            }
        } else {
            operations.addObject().put("op", "replace").put("path", path).set("value", to);
        }
    }
}
