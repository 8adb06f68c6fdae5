package dev.wheelhouse.client;

import java.util.LinkedHashSet;
import java.util.Set;

import tools.jackson.databind.JsonNode;

/** Reads from {@code metadata.managedFields} who applied an object server-side. */
public final class Appliers {
    private Appliers() {}

    /** @param object a whole object as the server wrote it */
    public static Set<String> of(JsonNode object) {
        Set<String> managers = new LinkedHashSet<>();
        for (JsonNode entry : object.path("metadata").path("managedFields")) {
            if (entry.path("operation").asString("").equals("Apply")
                    && entry.path("subresource").asString("").isEmpty()) {
                managers.add(entry.path("manager").asString(""));
            }
        }
        return managers;
    }
}
