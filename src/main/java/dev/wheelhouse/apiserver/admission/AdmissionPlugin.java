package dev.wheelhouse.apiserver.admission;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;

/**
 * A rule that other objects set for a write, such as the limits of a namespace (upstream:
 * {@code plugin/pkg/admission}). A plugin is called for all resources and ignores those that it does not concern.
 * Thread safe.
 */
interface AdmissionPlugin {
    /**
     * Changes an object that has its defaults, in place.
     *
     * @param old null for a new object
     * @throws dev.wheelhouse.apiserver.error.StatusException if the object may not be stored
     */
    default void mutate(ResourceType type, ObjectNode object, @Nullable ObjectNode old) {}

    /**
     * Refuses a valid object, or a pod with other ephemeral containers, that breaks the rule.
     *
     * @param old null for a new object
     * @throws dev.wheelhouse.apiserver.error.StatusException 403
     */
    default void validate(ResourceType type, ObjectNode object, @Nullable ObjectNode old) {}
}
