package dev.wheelhouse.apiserver.schema;

import java.util.List;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;

/** Validates objects of built-in types (upstream: {@code pkg/apis/<group>/validation}). */
public final class Validation {
    private Validation() {}

    /** What is wrong with a new, defaulted object; empty if nothing is. */
    public static List<Cause> create(ResourceType type, ObjectNode object) {
        return List.of();
    }

    /** What is wrong with a changed object, immutable fields among it. @param subresource empty for the object itself */
    public static List<Cause> update(ResourceType type, String subresource, ObjectNode object, ObjectNode old) {
        return List.of();
    }
}
