package dev.wheelhouse.event;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ResourceType;

/** Records Events about objects, on behalf of one component. It never waits and never throws. Thread safe. */
@FunctionalInterface
public interface EventRecorder {
    /** The type of an Event that needs no attention. */
    String NORMAL = "Normal";
    /** The type of an Event about a problem. */
    String WARNING = "Warning";

    /** Discards all Events. */
    EventRecorder NONE = (regardingType, regarding, fieldPath, type, reason, message) -> {};

    /**
     * Records an Event about an object or a part of it.
     * @param regardingType the type of the object
     * @param regarding the object that the Event is about; the Event is created in its namespace
     * @param fieldPath the part, such as {@code spec.containers{web}}; empty for the whole object
     * @param type {@link #NORMAL} or {@link #WARNING}
     * @param reason a machine-readable reason in UpperCamelCase
     * @param message a text for people
     */
    void event(ResourceType regardingType, KubernetesObject regarding, String fieldPath, String type, String reason,
            String message);

    /** Records an Event about a whole object. */
    default void event(ResourceType regardingType, KubernetesObject regarding, String type, String reason,
            String message) {
        event(regardingType, regarding, "", type, reason, message);
    }
}
