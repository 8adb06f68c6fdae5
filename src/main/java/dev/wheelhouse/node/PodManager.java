package dev.wheelhouse.node;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.podconfig.PodSources;

/**
 * The pods that this node should run, as the sources last named them, and the mirror pods of its static pods (upstream:
 * {@code pkg/kubelet/pod/pod_manager.go}). Thread safe.
 */
final class PodManager {
    private final Map<String, V1Pod> pods = new LinkedHashMap<>();
    private final Map<ObjectKey, String> byName = new HashMap<>();
    private final Map<ObjectKey, V1Pod> mirrors = new HashMap<>();

    /** Adds or replaces a pod or a mirror pod. */
    synchronized void put(V1Pod pod) {
        if (PodSources.isMirror(pod)) {
            mirrors.put(ObjectKey.of(pod), pod);
        } else {
            pods.put(uid(pod), pod);
            byName.put(ObjectKey.of(pod), uid(pod));
        }
    }

    synchronized void remove(V1Pod pod) {
        ObjectKey key = ObjectKey.of(pod);
        if (PodSources.isMirror(pod)) {
            mirrors.computeIfPresent(key, (k, mirror) -> uid(mirror).equals(uid(pod)) ? null : mirror);
        } else {
            pods.remove(uid(pod));
            byName.remove(key, uid(pod));
        }
    }

    synchronized @Nullable V1Pod get(String uid) {
        return pods.get(uid);
    }

    /** The static pod of a mirror pod; null if there is none. */
    synchronized @Nullable V1Pod mirrored(V1Pod mirror) {
        String uid = byName.get(ObjectKey.of(mirror));
        V1Pod pod = uid == null ? null : pods.get(uid);
        return pod != null && PodSources.isStatic(pod) ? pod : null;
    }

    /** The mirror pod of a static pod; null if there is none. */
    synchronized @Nullable V1Pod mirrorOf(V1Pod pod) {
        return PodSources.isStatic(pod) ? mirrors.get(ObjectKey.of(pod)) : null;
    }

    /**
     * The API server's object for a pod: the pod itself, or its mirror pod if it is static; null if there is none. The
     * mirror pod of an earlier version of the manifest does not count.
     */
    synchronized @Nullable V1Pod apiPod(String uid) {
        V1Pod pod = pods.get(uid);
        V1Pod mirror = pod == null ? null : mirrorOf(pod);
        return pod == null || !PodSources.isStatic(pod)
                ? pod
                : mirror != null && isMirrorOf(mirror, pod) ? mirror : null;
    }

    /** Whether a mirror pod shows this version of a static pod. */
    static boolean isMirrorOf(V1Pod mirror, V1Pod pod) {
        String hash = PodSources.annotation(pod, PodSources.HASH_ANNOTATION);
        return hash != null && hash.equals(PodSources.annotation(mirror, PodSources.MIRROR_ANNOTATION));
    }

    /** All pods without mirror pods. */
    synchronized List<V1Pod> pods() {
        return List.copyOf(pods.values());
    }

    /** The mirror pods without a static pod on this node. */
    synchronized List<V1Pod> orphanedMirrors() {
        return mirrors.values().stream().filter(mirror -> mirrored(mirror) == null).toList();
    }

    static String uid(V1Pod pod) {
        return pod.getMetadata().getUid();
    }
}
