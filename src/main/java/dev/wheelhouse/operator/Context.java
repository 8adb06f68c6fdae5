package dev.wheelhouse.operator;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.controller.Result;

/**
 * What one reconciliation reads and writes with. All reads but those of {@link #live} are from caches; what they return
 * are copies. All writes are refused once this process does not lead any more, and only planned and logged while the
 * service observes. A failed write throws {@link dev.wheelhouse.api.ApiError}. For the thread of the reconciliation.
 */
public interface Context<P extends KubernetesObject> {
    /** The objects that belong to the primary object. */
    Owned owned();

    /** An object of a declared class. */
    <T extends KubernetesObject> Optional<T> get(Class<T> type, ObjectKey key);

    /** An object of a type that was declared without a class. */
    Optional<Unstructured> get(ResourceType type, ObjectKey key);

    /** The objects of a declared class in a namespace (empty for all) that match a selector. */
    <T extends KubernetesObject> List<T> list(Class<T> type, String namespace, LabelSelector labels);

    /** The objects that an index of {@link Setup#index} has under a value. */
    <T extends KubernetesObject> List<T> indexed(Class<T> type, String index, String value);

    /**
     * Applies an object server-side, with the operator's field manager and the primary object as its controller. Nothing
     * is sent if nothing would change.
     *
     * @return the object as stored
     */
    <T extends KubernetesObject> T apply(T desired);

    /** Deletes the objects of the owned types that this operator applied before and that are not among these. */
    void prune(List<? extends KubernetesObject> kept);

    /** Deletes an object. One that does not exist is a success. */
    void delete(KubernetesObject object);

    /**
     * Writes the status of the primary object, if it changes. Conditions keep their transition time while their status
     * stays the same.
     *
     * @param status an object that becomes {@code status} in JSON
     */
    void status(Object status);

    /** Sets one condition of the primary object's status, if it changes. */
    void condition(String type, boolean status, String reason, String message);

    /**
     * Records an Event about the primary object.
     *
     * @param reason one word in camel case
     */
    void event(EventType type, String reason, String message);

    /**
     * Does what a decision says, in this order: the objects, pruning, the status, Events. The first failure ends it.
     *
     * @return when to reconcile again
     */
    Result execute(Decision decision);

    /**
     * Reads and writes of the API server itself, for what the caches do not show. The next reconciliation of this
     * primary object waits until the caches show these writes, if the type was declared.
     */
    <T extends KubernetesObject> ResourceClient<T> live(Class<T> type);

    /** The same for a type without a class. */
    ResourceClient<Unstructured> live(ResourceType type);

    /** The time. With a manual clock in tests it advances by hand. */
    Instant now();
}
