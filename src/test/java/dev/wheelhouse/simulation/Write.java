package dev.wheelhouse.simulation;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.testing.SteppedManager;
import dev.wheelhouse.testing.WriteRequest;

/**
 * A write of a manager.
 *
 * @param controller the name of the controller that writes
 * @param manager the manager that writes
 */
record Write(WriteRequest request, String controller, SteppedManager manager) {
    /** Whether this is a write of a verb to objects of a type, not to a subresource. */
    boolean is(String verb, ResourceType type) {
        return request.verb().equals(verb) && request.type().equals(type) && request.subresource().isEmpty();
    }

    /** The object to create or put, if it is of a class; null otherwise. */
    <T extends KubernetesObject> @Nullable T object(Class<T> model) {
        return model.isInstance(request.object()) ? model.cast(request.object()) : null;
    }

    /** The state of an object in the manager's cache; null if it contains none, or one with another UID. */
    <T extends KubernetesObject> @Nullable T read(ResourceType type, Class<T> model, T live) {
        T read = manager.cached(type, model, ObjectKey.of(live));
        return read == null || !Truth.uid(read).equals(Truth.uid(live)) ? null : read;
    }

    <T extends KubernetesObject> @Nullable T read(ResourceType type, Class<T> model, ObjectKey key) {
        return manager.cached(type, model, key);
    }

    <T extends KubernetesObject> List<T> read(ResourceType type, Class<T> model) {
        return manager.cached(type, model);
    }
}
