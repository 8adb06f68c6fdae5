package dev.wheelhouse.client;

import java.util.List;
import java.util.Optional;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PublicApi;
import dev.wheelhouse.api.ResourceType;

/**
 * Reads and writes objects of one resource type. Every call blocks until the answer or the client's deadline, and
 * throws {@link KubeApiException} on any failure. A call whose thread is interrupted ends soon, with an
 * {@code KubeApiException} of unknown outcome and the thread's interrupt status set. Thread safe. Do not implement it:
 * later versions add methods.
 */
@PublicApi
public interface ObjectClient<T extends KubernetesObject> {
    ResourceType type();

    /** Reads the object from the server. */
    T get(ObjectKey key);

    /** Reads an object that may not exist. */
    default Optional<T> find(ObjectKey key) {
        try {
            return Optional.of(get(key));
        } catch (KubeApiException e) {
            if (e.isNotFound()) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /**
     * Reads a subresource whose answer has the model's class, such as {@code scale} with {@code V1Scale}.
     */
    T getSubresource(ObjectKey key, String subresource);

    /**
     * Reads the objects that match a selector, as the server has them now. Objects that cannot be read are left out.
     *
     * @param namespace empty for all
     */
    List<T> list(String namespace, LabelSelector labels);

    /** Creates an object, in its {@code metadata.namespace} if the type is namespaced. @return the object as stored */
    T create(T object);

    /**
     * Replaces the object. Fails with 409 if the server has it at another version than its
     * {@code metadata.resourceVersion}.
     *
     * @return the object as stored
     */
    T update(T object);

    /** Replaces the object's status subresource, at its {@code metadata.resourceVersion}. */
    T updateStatus(T object);

    /**
     * Replaces a subresource, such as {@code namespaces/finalize}, which takes the whole object, or {@code scale},
     * which takes a {@code V1Scale}, at the {@code metadata.resourceVersion}.
     */
    T updateSubresource(T object, String subresource);

    /**
     * Patches the object, or a subresource of it. For a server-side apply see {@link #apply}.
     *
     * @param subresource {@code "status"}, {@code "scale"}, …, or empty
     * @param body the patch, JSON
     */
    T patch(ObjectKey key, String subresource, PatchType patchType, String body);

    /**
     * Applies a configuration server-side. Creates the object if there is none.
     *
     * @param subresource {@code "status"}, {@code "scale"}, …, or empty
     * @param fieldManager the owner of the fields that the configuration sets; fields that it set before and does not
     *     set any more are removed, unless they have another owner too
     * @param force whether to take fields over that another manager set to another value; otherwise this fails with 409
     * @param body the configuration, JSON, with {@code apiVersion} and {@code kind}
     * @return the object as stored
     */
    T apply(ObjectKey key, String subresource, String fieldManager, boolean force, String body);

    /** Deletes the object. Returns when the server has accepted the deletion, which finalizers may delay. */
    void delete(ObjectKey key, Deletion deletion);

    /**
     * Deletes every object of a namespace, or of all if it is empty. Fails with 405 if the type does not support it.
     */
    void deleteCollection(String namespace, Deletion deletion);

    /** Creates a subresource, such as {@code pods/binding}. Does not read the answer. */
    void createSubresource(ObjectKey key, String subresource, Object body);
}
