package dev.wheelhouse.api;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;

/** Reading and making owner references (upstream: {@code apimachinery/pkg/apis/meta/v1/controller_ref.go}). */
public final class OwnerReferences {
    private OwnerReferences() {}

    /** The reference that is marked as the managing controller, or null. */
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

    /** Whether {@code owner} is the managing controller of {@code object}, by UID. */
    public static boolean isControlledBy(KubernetesObject object, V1ObjectMeta owner) {
        V1OwnerReference reference = controllerOf(object.getMetadata());
        return reference != null && reference.getUid().equals(owner.getUid());
    }

    /** The owner references of an object, never null. */
    public static List<V1OwnerReference> of(@Nullable V1ObjectMeta meta) {
        return meta == null || meta.getOwnerReferences() == null ? List.of() : meta.getOwnerReferences();
    }

    /** A controller reference to {@code owner}, which blocks the owner's foreground deletion. */
    public static V1OwnerReference controllerReference(ResourceType type, V1ObjectMeta owner) {
        return new V1OwnerReference().apiVersion(type.apiVersion()).kind(type.kind()).name(owner.getName())
                .uid(owner.getUid())
                .controller(true).blockOwnerDeletion(true);
    }
}
