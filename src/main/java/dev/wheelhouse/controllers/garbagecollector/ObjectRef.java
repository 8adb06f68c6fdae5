package dev.wheelhouse.controllers.garbagecollector;

import java.util.Comparator;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * The coordinates of an object. From an informer they are right; from an owner reference they may be wrong.
 *
 * @param namespace empty for a cluster-scoped object
 */
record ObjectRef(String apiVersion, String kind, String namespace, String name, String uid)
        implements
            Comparable<ObjectRef> {
    private static final Comparator<ObjectRef> ORDER = Comparator.comparing(ObjectRef::kind)
            .thenComparing(ObjectRef::apiVersion).thenComparing(ObjectRef::namespace).thenComparing(ObjectRef::name)
            .thenComparing(ObjectRef::uid);

    static ObjectRef of(ResourceType type, V1ObjectMeta meta) {
        return new ObjectRef(type.apiVersion(), type.kind(), orEmpty(meta.getNamespace()), orEmpty(meta.getName()),
                orEmpty(meta.getUid()));
    }

    /** The coordinates of a referenced owner, if the owner is in this namespace. */
    static ObjectRef of(V1OwnerReference reference, String namespace) {
        return new ObjectRef(orEmpty(reference.getApiVersion()), orEmpty(reference.getKind()), namespace,
                orEmpty(reference.getName()), orEmpty(reference.getUid()));
    }

    /** Whether a reference has these coordinates. A reference has no namespace, so the namespace is not compared. */
    boolean isMeantBy(V1OwnerReference reference) {
        return equals(of(reference, namespace));
    }

    boolean isNamespaced() {
        return !namespace.isEmpty();
    }

    ObjectRef in(String otherNamespace) {
        return new ObjectRef(apiVersion, kind, otherNamespace, name, uid);
    }

    ObjectKey key() {
        return new ObjectKey(namespace, name);
    }

    @Override
    public int compareTo(ObjectRef other) {
        return ORDER.compare(this, other);
    }

    /** The form that upstream prints in Events. */
    @Override
    public String toString() {
        return "[" + apiVersion + "/" + kind + ", namespace: " + namespace + ", name: " + name + ", uid: " + uid + "]";
    }
}
