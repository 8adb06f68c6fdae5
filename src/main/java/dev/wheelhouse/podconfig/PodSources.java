package dev.wheelhouse.podconfig;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;

/**
 * The names of the pod sources, and the annotations that record where a pod came from (upstream:
 * {@code pkg/kubelet/types/pod_update.go}).
 */
public final class PodSources {
    public static final String FILE = "file";
    public static final String HTTP = "http";
    public static final String API = "api";

    /** The source that the pod came from. */
    public static final String SOURCE_ANNOTATION = "kubernetes.io/config.source";
    /** The time when this process first saw the pod. */
    public static final String SEEN_ANNOTATION = "kubernetes.io/config.seen";
    /** The hash of a static pod's content. */
    public static final String HASH_ANNOTATION = "kubernetes.io/config.hash";
    /** On a mirror pod: the hash of its static pod. */
    public static final String MIRROR_ANNOTATION = "kubernetes.io/config.mirror";

    private PodSources() {}

    /** Whether this process, not a user, writes an annotation. Such annotations never count as a change. */
    static boolean isLocal(String annotation) {
        return switch (annotation) {
            case SOURCE_ANNOTATION, SEEN_ANNOTATION, HASH_ANNOTATION, MIRROR_ANNOTATION -> true;
            default -> false;
        };
    }

    /** The source of a merged pod; null if the pod has not been merged by a {@link PodStorage}. */
    public static @Nullable String sourceOf(V1Pod pod) {
        return annotation(pod, SOURCE_ANNOTATION);
    }

    /** Whether the pod came from a file or a URL. */
    public static boolean isStatic(V1Pod pod) {
        String source = sourceOf(pod);
        return source != null && !source.equals(API);
    }

    /** Whether the pod is a mirror pod: the API server's copy of a static pod. */
    public static boolean isMirror(V1Pod pod) {
        return annotation(pod, MIRROR_ANNOTATION) != null;
    }

    /** The value of an annotation; null if there is none. */
    public static @Nullable String annotation(V1Pod pod, String key) {
        V1ObjectMeta meta = pod.getMetadata();
        return meta == null || meta.getAnnotations() == null ? null : meta.getAnnotations().get(key);
    }

    /** The form {@code namespace/name(uid)}, for messages. */
    public static String describe(V1Pod pod) {
        V1ObjectMeta meta = pod.getMetadata();
        return meta == null
                ? "a pod without metadata"
                : (meta.getNamespace() == null ? "" : meta.getNamespace() + "/") + meta.getName() + "(" + meta.getUid()
                        + ")";
    }
}
