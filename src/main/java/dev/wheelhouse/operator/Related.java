package dev.wheelhouse.operator;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;

/**
 * The objects that are related to one primary object, as the caches show them at one moment: the objects that it owns
 * as their controller ({@link Setup#owns}), the objects that a mapping maps to it ({@link Setup#watches}), and the
 * objects that it names ({@link Setup#references}). The objects are copies. Asking for a type that was not declared
 * throws an {@code IllegalArgumentException}, which names the declaration to add. Do not implement it: later versions
 * add methods.
 */
public interface Related {
    /** The objects of a class, sorted by namespace and name. */
    <T extends KubernetesObject> List<T> all(Class<T> type);

    /**
     * The object of a class with this name, in the primary object's namespace if the type has namespaces; empty if
     * there is none.
     */
    <T extends KubernetesObject> Optional<T> named(Class<T> type, String name);

    /** The object of a class with this key; empty if there is none that is related to the primary object. */
    default <T extends KubernetesObject> Optional<T> named(Class<T> type, ObjectKey key) {
        return all(type).stream().filter(object -> ObjectKey.of(object).equals(key)).findFirst();
    }

    /** The objects of a type that was declared without a class, sorted by namespace and name. */
    List<Unstructured> all(ResourceType type);

    /** The metadata of the objects of a type ({@link Setup#watchesMetadata}), sorted by namespace and name. */
    List<PartialObjectMetadata> metadata(ResourceType type);

    /**
     * The last value from outside of the cluster that the primary object has; empty if there is none, or none yet. A
     * handle that was not declared throws.
     */
    <T> Optional<T> external(External<T> external);

    /** When the value was read or sent last, also if it was the same then; empty if it has never been. */
    Optional<Instant> externalAsOf(External<?> external);

    /**
     * The same without copies: the cached objects themselves, which must not be changed. They share their parts with
     * others; a test with a simulation names who changed one. Of a type with a bound, or with metadata only, they have
     * the metadata, and nothing is read.
     */
    Related view();

    /** The given objects, for a test of {@link DecidingOperator#decide} that needs no API server. */
    static Related of(KubernetesObject... objects) {
        return new GivenObjects(List.of(objects), List.of());
    }

    /** The same with external values, such as {@code LOAD.given(7)}, which are as of the epoch. */
    static Related of(List<? extends KubernetesObject> objects, External.Given<?>... values) {
        return new GivenObjects(List.copyOf(objects), List.of(values));
    }
}
