package dev.wheelhouse.client;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;

/**
 * Reads and writes objects of one resource type. Every call blocks until the answer or the client's deadline, and
 * throws {@link ApiError} on any failure. A call whose thread is interrupted ends soon, with an {@code ApiError} of
 * unknown outcome and the thread's interrupt status set. Thread safe.
 */
public interface ResourceClient<T extends KubernetesObject> {
    ResourceType type();

    /** Reads the object from the server. */
    T get(ObjectKey key);

    /** Reads one page of a list. The caller asks for the next page by the continue token. */
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

    /** Deletes every object of a namespace, or of all if it is empty. A type that cannot do this answers 405. */
    void deleteCollection(String namespace, Deletion deletion);

    /** Creates a subresource, such as {@code pods/binding}. Does not read the answer. */
    void createSubresource(ObjectKey key, String subresource, Object body);

    /**
     * A port for a Reflector. Its objects must not be changed.
     *
     * @param namespace empty for all
     */
    ListerWatcher<T> listerWatcher(String namespace, LabelSelector labels, FieldSelector fields);

    default ListerWatcher<T> listerWatcher() {
        return listerWatcher("", LabelSelector.everything(), FieldSelector.everything());
    }
}
