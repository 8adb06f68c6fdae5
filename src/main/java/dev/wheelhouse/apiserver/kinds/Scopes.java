package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

/** Evaluates the operators of a quota's scope selector. */
final class Scopes {
    private Scopes() {}

    /** Whether the requirement selects an object by the name of its class, which is empty if it has none. */
    static boolean selects(JsonNode requirement, String name) {
        boolean listed = false;
        for (JsonNode value : requirement.path("values")) {
            listed |= value.asString("").equals(name);
        }
        return switch (Json.text(requirement, "operator")) {
            case "In" -> listed;
            case "NotIn" -> !listed;
            case "DoesNotExist" -> name.isEmpty();
            default -> !name.isEmpty();
        };
    }
}
