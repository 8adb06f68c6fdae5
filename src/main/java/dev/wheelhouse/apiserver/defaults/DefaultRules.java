package dev.wheelhouse.apiserver.defaults;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/** Steps of the rules of defaults. A field that is null counts as missing. */
public final class DefaultRules {
    private DefaultRules() {}

    /** Sets a text that is missing or empty. */
    public static void set(ObjectNode object, String field, String value) {
        JsonNode present = Json.at(object, field);
        if (present == null || (present.isString() && present.stringValue().isEmpty())) {
            object.put(field, value);
        }
    }

    /** Sets a boolean that is missing. */
    public static void set(ObjectNode object, String field, boolean value) {
        if (Json.at(object, field) == null) {
            object.put(field, value);
        }
    }

    /** Whether a list, map or text is missing or empty. */
    public static boolean isEmpty(ObjectNode object, String field) {
        JsonNode value = Json.at(object, field);
        return value == null || value.isEmpty();
    }

}
