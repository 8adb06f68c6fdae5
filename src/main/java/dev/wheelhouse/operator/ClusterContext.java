package dev.wheelhouse.operator;

import java.util.List;
import java.util.Optional;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.ObjectClient;

/**
 * The reads and writes of one reconciliation in another cluster ({@link Context#cluster}). Objects there belong to the
 * primary object by a label with its UID, because owner references do not cross clusters: a change of such an object
 * reconciles the primary object, and when that is deleted, they are deleted after the clean-up. The caches hold the
 * operator's own objects of the types of {@link ClusterSecrets#owns}; reads are copies. Otherwise the rules of the
 * {@link Context} hold. Do not implement it: later versions add methods.
 */
public interface ClusterContext {
    /** An object of the operator; empty if the cache has none with this key. */
    <T extends KubernetesObject> Optional<T> get(Class<T> type, ObjectKey key);

    /** The objects of the operator in a namespace (empty for all) that match a selector, sorted by key. */
    <T extends KubernetesObject> List<T> list(Class<T> type, String namespace, LabelSelector labels);

    /** The objects that belong to the primary object, sorted by key. */
    <T extends KubernetesObject> List<T> owned(Class<T> type);

    /**
     * Applies an object as {@link Context#apply} does. An object without a namespace gets that of the primary object.
     *
     * @throws dev.wheelhouse.api.KubeApiException with the reason {@code NotOwned} if the object exists and does not
     *     belong to the primary object
     */
    <T extends KubernetesObject> T apply(T desired);

    /** Deletes the objects that belong to the primary object, except the given ones. */
    void prune(List<? extends KubernetesObject> kept);

    /** Deletes an object and, in the background, the objects that it owns. A missing object counts as deleted. */
    void delete(KubernetesObject object);

    /** Reads and writes of the cluster's API server itself. */
    <T extends KubernetesObject> ObjectClient<T> live(Class<T> type);

    /** The same for a type without a class. */
    ObjectClient<Unstructured> live(ResourceType type);
}
