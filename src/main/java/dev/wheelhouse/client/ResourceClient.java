package dev.wheelhouse.client;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;

/**
 * Reads and writes of one resource type. Every call blocks until the answer, or the client's deadline, and throws
 * {@link ApiError} for anything but success. A call whose thread is interrupted ends soon, with an {@code ApiError} of
 * unknown outcome and the thread's interrupt status set. Thread safe.
 */
public interface ResourceClient<T extends KubernetesObject> {
    ResourceType type();

    /** A live read, not from any cache. */
    T get(ObjectKey key);

    /** A list, page by page; the caller follows the continue token. */
    ListPage<T> list(String namespace, LabelSelector labels, FieldSelector fields, ListOptions options);

    /** @return the object as stored */
    T create(T object);

    /** Replaces the object, at its {@code metadata.resourceVersion}. */
    T update(T object);

    /** Replaces the object's status subresource, at its {@code metadata.resourceVersion}. */
    T updateStatus(T object);

    /**
     * Replaces a subresource that takes the whole object, such as {@code namespaces/finalize}, at its
     * {@code metadata.resourceVersion}.
     */
    T updateSubresource(T object, String subresource);

    /**
     * Patches the object, or a subresource of it.
     *
     * @param subresource {@code "status"}, {@code "scale"}, …, or empty
     * @param body the patch, JSON
     */
    T patch(ObjectKey key, String subresource, PatchType patchType, String body);

    void delete(ObjectKey key, Deletion deletion);

    /** Deletes every object of a namespace, or of all for the empty one; a type that cannot answers 405. */
    void deleteCollection(String namespace, Deletion deletion);

    /** Creates a subresource, such as {@code pods/binding}; the answer is not read. */
    void createSubresource(ObjectKey key, String subresource, Object body);

    /** The port for a Reflector. @param namespace empty for all */
    ListerWatcher<T> listerWatcher(String namespace, LabelSelector labels, FieldSelector fields);

    default ListerWatcher<T> listerWatcher() {
        return listerWatcher("", LabelSelector.everything(), FieldSelector.everything());
    }
}
