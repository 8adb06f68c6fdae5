package dev.wheelhouse.console;

import java.security.Principal;

import dev.wheelhouse.api.ResourceType;

/** The caller of a view, and the caller's rights on the API server. Thread safe. */
public interface Viewer extends Principal {
    /**
     * Whether the API server lets the caller do this.
     *
     * @param verb such as {@code get} or {@code list}
     * @param namespace empty for all namespaces
     */
    default boolean may(String verb, ResourceType type, String namespace) {
        return may(verb, type, "", namespace);
    }

    /** The same of a subresource, such as {@code scale}; empty for the object itself. */
    boolean may(String verb, ResourceType type, String subresource, String namespace);

    /** Whether the caller may read the objects of a type in a namespace. */
    default boolean mayGet(ResourceType type, String namespace) {
        return may("get", type, namespace);
    }
}
