package dev.wheelhouse.apiserver.admission;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;

/**
 * A rule by which other objects bear on a write, such as the limits of a namespace (upstream: {@code plugin/pkg/admission}). A
 * plugin names the resources that it is about, and leaves all others alone. Thread safe.
 */
interface AdmissionPlugin {
    /**
     * Changes an object that has its defaults, in place.
     *
     * @param old null for a new object
     * @throws dev.wheelhouse.apiserver.error.ApiException if the object may not be stored
     */
    default void mutate(ResourceType type, ObjectNode object, @Nullable ObjectNode old) {}

    /**
     * Refuses a valid object that breaks the rule.
     *
     * @param old null for a new object
     * @throws dev.wheelhouse.apiserver.error.ApiException 403
     */
    default void validate(ResourceType type, ObjectNode object, @Nullable ObjectNode old) {}
}
