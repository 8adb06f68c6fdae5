package dev.wheelhouse.api;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;

/** Reads and makes owner references (upstream: {@code apimachinery/pkg/apis/meta/v1/controller_ref.go}). */
public final class OwnerReferences {
    private OwnerReferences() {}

    /** The owner reference with {@code controller: true}; null if there is none. */
    public static @Nullable V1OwnerReference controllerOf(@Nullable V1ObjectMeta meta) {
        if (meta != null && meta.getOwnerReferences() != null) {
            for (V1OwnerReference reference : meta.getOwnerReferences()) {
                if (Boolean.TRUE.equals(reference.getController())) {
                    return reference;
                }
            }
        }
        return null;
    }

    /** Whether the controller reference of {@code object} has the UID of {@code owner}. */
    public static boolean isControlledBy(KubernetesObject object, V1ObjectMeta owner) {
        V1OwnerReference reference = controllerOf(object.getMetadata());
        return reference != null && reference.getUid().equals(owner.getUid());
    }

    /** The owner references of an object; empty if it has none, never null. */
    public static List<V1OwnerReference> of(@Nullable V1ObjectMeta meta) {
        return meta == null || meta.getOwnerReferences() == null ? List.of() : meta.getOwnerReferences();
    }

    /** A controller reference to {@code owner} with {@code blockOwnerDeletion: true}. */
    public static V1OwnerReference controllerReference(ResourceType type, V1ObjectMeta owner) {
        return new V1OwnerReference().apiVersion(type.apiVersion()).kind(type.kind()).name(owner.getName())
                .uid(owner.getUid())
                .controller(true).blockOwnerDeletion(true);
    }
}
