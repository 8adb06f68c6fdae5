package dev.wheelhouse.simulation;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
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

    /** The controller of an object, as the manager has read it; null if it is of another type, or not known. */
    <T extends KubernetesObject> @Nullable T owner(KubernetesObject object, ResourceType type, Class<T> model) {
        V1OwnerReference owner = OwnerReferences.controllerOf(object.getMetadata());
        T read = owner == null || !owner.getKind().equals(type.kind())
                ? null
                : read(type, model, new ObjectKey(request.key().namespace(), owner.getName()));
        return read == null || !owner.getUid().equals(Truth.uid(read)) ? null : read;
    }

    <T extends KubernetesObject> @Nullable T read(ResourceType type, Class<T> model, ObjectKey key) {
        return manager.cached(type, model, key);
    }

    <T extends KubernetesObject> List<T> read(ResourceType type, Class<T> model) {
        return manager.cached(type, model);
    }
}
