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
 * The pods that this node should run, as the sources last said, and the mirror pods of its static ones (upstream:
 * {@code pkg/kubelet/pod/pod_manager.go}). Thread safe.
 */
final class PodManager {
    private final Map<String, V1Pod> pods = new LinkedHashMap<>();
    private final Map<ObjectKey, String> byName = new HashMap<>();
    private final Map<ObjectKey, V1Pod> mirrors = new HashMap<>();

    /** Adds or replaces a pod, or a mirror pod. */
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

    /** The pod that a mirror pod stands for, or null. */
    synchronized @Nullable V1Pod mirrored(V1Pod mirror) {
        String uid = byName.get(ObjectKey.of(mirror));
        V1Pod pod = uid == null ? null : pods.get(uid);
        return pod != null && PodSources.isStatic(pod) ? pod : null;
    }

    /** The mirror pod of a static pod, or null. */
    synchronized @Nullable V1Pod mirrorOf(V1Pod pod) {
        return PodSources.isStatic(pod) ? mirrors.get(ObjectKey.of(pod)) : null;
    }

    /** What stands for a pod on the API server: itself, or its mirror; null if there is none. */
    synchronized @Nullable V1Pod apiPod(String uid) {
        V1Pod pod = pods.get(uid);
        return pod == null ? null : PodSources.isStatic(pod) ? mirrors.get(ObjectKey.of(pod)) : pod;
    }

    /** All pods, without mirrors. */
    synchronized List<V1Pod> pods() {
        return List.copyOf(pods.values());
    }

    /** Mirror pods that mirror no pod of this node. */
    synchronized List<V1Pod> orphanedMirrors() {
        return mirrors.values().stream().filter(mirror -> mirrored(mirror) == null).toList();
    }

    static String uid(V1Pod pod) {
        return pod.getMetadata().getUid();
    }
}
