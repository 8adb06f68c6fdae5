package dev.wheelhouse.operator;

import java.util.List;
import java.util.Optional;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;

/**
 * The objects that belong to one primary object, as the caches show them at one moment: the objects that it owns as
 * their controller ({@link Setup#owns}), the objects that a mapping maps to it ({@link Setup#watches}), and the objects
 * that it names ({@link Setup#references}). The objects are copies. Asking for a type that was not declared throws an
 * {@code IllegalArgumentException}, which names the declaration to add.
 */
public interface Owned {
    /** The objects of a class, sorted by namespace and name. */
    <T extends KubernetesObject> List<T> all(Class<T> type);

    /**
     * The object of a class with this name, in the primary object's namespace if the type has namespaces; empty if
     * there is none.
     */
    <T extends KubernetesObject> Optional<T> named(Class<T> type, String name);

    /** The object of a class with this key; empty if there is none that belongs to the primary object. */
    default <T extends KubernetesObject> Optional<T> named(Class<T> type, ObjectKey key) {
        return all(type).stream().filter(object -> ObjectKey.of(object).equals(key)).findFirst();
    }

    /** The objects of a type that was declared without a class, sorted by namespace and name. */
    List<Unstructured> all(ResourceType type);

    /** The metadata of the objects of a type ({@link Setup#watchesMetadata}), sorted by namespace and name. */
    List<PartialObjectMetadata> metadata(ResourceType type);

    /**
     * The same without copies: the cached objects themselves, which must not be changed. They share their parts with
     * others; a test with a simulation names who changed one. Of a type with a bound, or with metadata only, they have
     * the metadata, and nothing is read.
     */
    Owned view();

    /** The given objects, for a test of {@link DecidingOperator#decide} that needs no API server. */
    static Owned of(KubernetesObject... objects) {
        return new GivenObjects(List.of(objects));
    }
}
