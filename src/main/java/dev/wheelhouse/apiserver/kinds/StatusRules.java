package dev.wheelhouse.apiserver.kinds;

import java.util.List;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Problems;

/** Rules of a status that several kinds share. */
final class StatusRules {
    private StatusRules() {}

    /** Refuses conditions whose status is neither True, False nor Unknown. */
    static void conditions(JsonNode status, Problems problems) {
        int i = 0;
        for (JsonNode condition : status.path("conditions")) {
            String at = Problems.at("status.conditions", i++);
            String value = Json.text(condition, "status");
            if (!List.of("True", "False", "Unknown").contains(value)) {
                problems.notSupported(at + ".status", value, "False", "True", "Unknown");
            }
        }
    }
}
