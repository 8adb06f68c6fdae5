package dev.wheelhouse.controllers.pods;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1LabelSelector;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;

/**
 * The objects of one type that may own others, such as pods, as a controller's cache has them.
 *
 * @param <T> the class of the owners
 */
public interface PodOwners<T extends KubernetesObject> {
    /** The type of the owners. */
    ResourceType type();

    /** The owner with this key; null if the cache has none. */
    @Nullable
    T get(ObjectKey key);

    /** The owners in a namespace. */
    List<T> list(String namespace);

    /** The selector of the objects that an owner adopts; null if it adopts none. */
    @Nullable
    V1LabelSelector selector(T owner);
}
