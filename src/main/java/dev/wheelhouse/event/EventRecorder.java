package dev.wheelhouse.event;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ResourceType;

/** Reports what happened to an object, on behalf of one component. It never waits and never fails. Thread safe. */
@FunctionalInterface
public interface EventRecorder {
    String NORMAL = "Normal";
    String WARNING = "Warning";

    /** Tells nobody. */
    EventRecorder NONE = (regardingType, regarding, type, reason, message) -> {};

    /**
     * @param regarding the object that it is about; the Event goes into its namespace
     * @param type {@link #NORMAL} or {@link #WARNING}
     * @param reason why, in UpperCamelCase, for machines
     * @param message for people
     */
    void event(ResourceType regardingType, KubernetesObject regarding, String type, String reason, String message);

    /**
     * The same, about a part of the object.
     *
     * @param fieldPath such as {@code spec.containers{web}}, or empty
     */
    default void event(ResourceType regardingType, KubernetesObject regarding, String fieldPath, String type,
            String reason, String message) {
        event(regardingType, regarding, type, reason, message);
    }
}
