package dev.wheelhouse.apiserver.schema;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;

/** Fills in the defaults of built-in types (upstream: {@code pkg/apis/<group>/<version>/defaults.go}). */
public final class Defaults {
    private Defaults() {}

    /** Fills in, in place, what the object leaves unsaid. */
    public static void apply(ResourceType type, ObjectNode object) {
        throw new UnsupportedOperationException();
    }
}
