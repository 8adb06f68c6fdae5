package dev.wheelhouse.api;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

/** Reads the metadata of objects. An absent map or list is empty. */
public final class Metadata {
    private Metadata() {}

    /** The labels of metadata that may be absent. */
    public static Map<String, String> labels(@Nullable V1ObjectMeta meta) {
        return meta == null ? Map.of() : Absent.orEmpty(meta.getLabels());
    }

    /** The annotations of metadata that may be absent. */
    public static Map<String, String> annotations(@Nullable V1ObjectMeta meta) {
        return meta == null ? Map.of() : Absent.orEmpty(meta.getAnnotations());
    }

    /** The value of a label; null if the object does not have it. */
    public static @Nullable String label(KubernetesObject object, String name) {
        return labels(object.getMetadata()).get(name);
    }

    /** The value of an annotation; null if the object does not have it. */
    public static @Nullable String annotation(KubernetesObject object, String name) {
        return annotations(object.getMetadata()).get(name);
    }

    public static List<String> finalizers(KubernetesObject object) {
        return Absent.orEmpty(object.getMetadata().getFinalizers());
    }
}
