package dev.wheelhouse.api;

import java.util.Objects;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

/**
 * The identity of an object within its resource type: {@code namespace/name}. The namespace of a cluster-scoped object
 * is empty. The text form is that of client-go's {@code MetaNamespaceKeyFunc}. Keys sort by namespace, then by name.
 */
@PublicApi
public record ObjectKey(String namespace, String name) implements Comparable<ObjectKey> {

    public ObjectKey {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("an object key needs a name (namespace \"" + namespace + "\")");
        }
    }

    public static ObjectKey of(String namespace, String name) {
        return new ObjectKey(namespace, name);
    }

    /** The key of a cluster-scoped object. */
    public static ObjectKey cluster(String name) {
        return new ObjectKey("", name);
    }

    /** @throws IllegalArgumentException if the object has no name */
    public static ObjectKey of(KubernetesObject object) {
        V1ObjectMeta meta = object.getMetadata();
        if (meta == null || meta.getName() == null) {
            throw new IllegalArgumentException("an object of kind " + object.getKind() + " has no metadata.name");
        }
        return of(meta);
    }

    /** The key of an object with this metadata, which must have a name. */
    public static ObjectKey of(V1ObjectMeta meta) {
        return new ObjectKey(meta.getNamespace() == null ? "" : meta.getNamespace(), meta.getName());
    }

    /**
     * The key by which messages name an object that is about to be created. If the server generates the name, the key
     * is {@code generateName} with a star.
     */
    public static ObjectKey ofNew(KubernetesObject object) {
        V1ObjectMeta meta = object.getMetadata() == null ? new V1ObjectMeta() : object.getMetadata();
        return new ObjectKey(Objects.requireNonNullElse(meta.getNamespace(), ""), meta.getName() != null
                ? meta.getName()
                : Objects.requireNonNullElse(meta.getGenerateName(), "") + "*");
    }

    /** @throws IllegalArgumentException if the text is neither {@code name} nor {@code namespace/name} */
    public static ObjectKey parse(String text) {
        int slash = text.indexOf('/');
        if (slash != text.lastIndexOf('/')) {
            throw new IllegalArgumentException("\"" + text + "\" is not an object key: write name or namespace/name");
        }
        return slash < 0 ? cluster(text) : new ObjectKey(text.substring(0, slash), text.substring(slash + 1));
    }

    @Override
    public int compareTo(ObjectKey other) {
        int byNamespace = namespace.compareTo(other.namespace);
        return byNamespace != 0 ? byNamespace : name.compareTo(other.name);
    }

    @Override
    public String toString() {
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }
}
