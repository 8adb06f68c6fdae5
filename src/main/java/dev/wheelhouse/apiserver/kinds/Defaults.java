package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.defaults.TypeDefaults;

/** The defaults of all built-in types. */
public final class Defaults {
    private static final TypeDefaults ALL = new TypeDefaults(Strategies.defaults());

    private Defaults() {}

    /**
     * Sets the missing fields that have defaults, in place. An object of a type that is not built in stays as it is.
     *
     * @throws dev.wheelhouse.apiserver.json.TooLargeException if the object would become too large
     */
    public static void apply(ResourceType type, ObjectNode object) {
        ALL.apply(type, object);
    }
}
