package dev.wheelhouse.podconfig;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Computes the changes that one source's message causes, as a pure function (upstream: {@code podStorage.merge} in
 * {@code pkg/kubelet/config/config.go}).
 */
public final class PodMerge {
    private PodMerge() {}

    /**
     * The result of a merge.
     *
     * @param next the source's pods by UID, in the order in which they arrived
     * @param updates the changes: at most one each of REMOVE, ADD, UPDATE, DELETE, RECONCILE, in this order, none empty
     * @param rejected the pods that were left out
     */
    public record Merged(Map<String, V1Pod> next, List<PodUpdate> updates, List<Rejected> rejected) {}

    /**
     * A pod that was left out.
     * @param why the reason, in a sentence for the pod's user
     */
    public record Rejected(V1Pod pod, String why) {}

    /**
     * Merges a message into the source's earlier pods. Pods with the same UID are the same pod. Each pod of the result
     * has annotations with its source and the time when it was first seen; these never count as a change.
     *
     * @param old the source's pods by UID, as an earlier merge returned them
     * @param now the time for new pods
     * @throws IllegalArgumentException if the message is a RECONCILE, which sources may not send
     */
    public static Merged merge(Map<String, V1Pod> old, PodUpdate incoming, Instant now) {
        return switch (incoming.operation()) {
            case SET -> new Step(old, incoming.source(), now).set(incoming.pods());
            case ADD, UPDATE, DELETE -> new Step(old, incoming.source(), now).upsert(incoming.pods());
            case REMOVE -> new Step(old, incoming.source(), now).remove(incoming.pods());
            case RECONCILE -> throw new IllegalArgumentException("the source \"" + incoming.source()
                    + "\" sent RECONCILE: a source sends SET, ADD, UPDATE, DELETE or REMOVE");
        };
    }

    /**
     * Whether two states of a pod differ in a field that a node acts on: spec, labels, deletion, or a user's
     * annotations.
     */
    static boolean differ(V1Pod a, V1Pod b) {
        V1ObjectMeta before = meta(a);
        V1ObjectMeta after = meta(b);
        return !Objects.equals(a.getSpec(), b.getSpec())
                || !orEmpty(before.getLabels()).equals(orEmpty(after.getLabels()))
                || !Objects.equals(before.getDeletionTimestamp(), after.getDeletionTimestamp())
                || !Objects.equals(before.getDeletionGracePeriodSeconds(), after.getDeletionGracePeriodSeconds())
                || !foreign(before.getAnnotations()).equals(foreign(after.getAnnotations()));
    }

    private static Map<String, String> foreign(@Nullable Map<String, String> annotations) {
        Map<String, String> foreign = new HashMap<>(orEmpty(annotations));
        foreign.keySet().removeIf(PodSources::isLocal);
        return foreign;
    }

    private static V1ObjectMeta meta(V1Pod pod) {
        return pod.getMetadata();
    }

    private record Name(@Nullable String namespace, String name) {}

    /** The state of one merge. */
    private static final class Step {
        private final Map<String, V1Pod> old;
        private final String source;
        private final Instant now;
        private final List<V1Pod> removed = new ArrayList<>();
        private final List<V1Pod> added = new ArrayList<>();
        private final List<V1Pod> updated = new ArrayList<>();
        private final List<V1Pod> deleted = new ArrayList<>();
        private final List<V1Pod> reconciled = new ArrayList<>();
        private final List<Rejected> rejected = new ArrayList<>();

        Step(Map<String, V1Pod> old, String source, Instant now) {
            this.old = old;
            this.source = source;
            this.now = now;
        }

        Merged set(List<V1Pod> pods) {
            Map<String, V1Pod> next = new LinkedHashMap<>();
            accept(pods, next);
            old.forEach((uid, pod) -> {
                if (!next.containsKey(uid)) {
                    removed.add(pod);
                }
            });
            return merged(next);
        }

        Merged upsert(List<V1Pod> pods) {
            Map<String, V1Pod> next = new LinkedHashMap<>(old);
            accept(pods, next);
            return merged(next);
        }

        Merged remove(List<V1Pod> pods) {
            Map<String, V1Pod> next = new LinkedHashMap<>(old);
            for (V1Pod pod : pods) {
                V1Pod gone = meta(pod) == null ? null : next.remove(meta(pod).getUid());
                if (gone != null) {
                    removed.add(gone);
                }
            }
            return merged(next);
        }

        private void accept(List<V1Pod> pods, Map<String, V1Pod> next) {
            Set<Name> names = new HashSet<>();
            Set<String> uids = new HashSet<>();
            for (V1Pod pod : pods) {
                V1ObjectMeta meta = meta(pod);
                if (meta == null || meta.getName() == null || meta.getUid() == null || meta.getUid().isEmpty()) {
                    rejected.add(new Rejected(pod, "it has no name or no UID"));
                } else if (!names.add(new Name(meta.getNamespace(), meta.getName()))) {
                    rejected.add(new Rejected(pod, "another pod of the source \"" + source + "\" has the name "
                            + meta.getNamespace() + "/" + meta.getName() + "; the first one is used"));
                } else if (!uids.add(meta.getUid())) {
                    rejected.add(new Rejected(pod, "another pod of the source \"" + source + "\" has the UID "
                            + meta.getUid() + "; the first one is used"));
                } else {
                    next.put(meta.getUid(), place(meta.getUid(), pod));
                }
            }
        }

        /** Records the change of a pod, and returns the state to keep. */
        private V1Pod place(String uid, V1Pod pod) {
            V1Pod before = old.get(uid);
            if (before == null) {
                V1Pod first = annotated(pod, Map.of(PodSources.SEEN_ANNOTATION, now.toString()));
                added.add(first);
                return first;
            }
            if (isSameState(before, pod)) {
                return before;
            }
            boolean differs = differ(before, pod);
            if (!differs && Objects.equals(before.getStatus(), pod.getStatus())) {
                return before;
            }
            V1Pod after = annotated(pod, localAnnotations(before));
            if (!differs) {
                reconciled.add(after);
            } else if (meta(pod).getDeletionTimestamp() != null) {
                deleted.add(after);
            } else {
                updated.add(after);
            }
            return after;
        }

        /** Whether the API server's version of a pod is one that was merged before. Most pods of a message are. */
        @SuppressWarnings("ReferenceEquality") // An earlier merge shares these parts with the pod that it was given.
        private static boolean isSameState(V1Pod before, V1Pod pod) {
            String version = meta(pod).getResourceVersion();
            return version != null && version.equals(meta(before).getResourceVersion())
                    && before.getSpec() == pod.getSpec() && before.getStatus() == pod.getStatus();
        }

        private static Map<String, String> localAnnotations(V1Pod pod) {
            Map<String, String> local = new HashMap<>(orEmpty(meta(pod).getAnnotations()));
            local.keySet().removeIf(key -> !PodSources.isLocal(key));
            return local;
        }

        /** A copy of the pod with changed annotations. Everything else is shared with the original. */
        private V1Pod annotated(V1Pod pod, Map<String, String> local) {
            V1ObjectMeta meta = meta(pod);
            Map<String, String> annotations = new LinkedHashMap<>(orEmpty(meta.getAnnotations()));
            annotations.putAll(local);
            annotations.put(PodSources.SOURCE_ANNOTATION, source);
            V1ObjectMeta copy = new V1ObjectMeta().name(meta.getName()).generateName(meta.getGenerateName())
                    .namespace(meta.getNamespace()).uid(meta.getUid()).resourceVersion(meta.getResourceVersion())
                    .generation(meta.getGeneration()).creationTimestamp(meta.getCreationTimestamp())
                    .deletionTimestamp(meta.getDeletionTimestamp())
                    .deletionGracePeriodSeconds(meta.getDeletionGracePeriodSeconds()).labels(meta.getLabels())
                    .annotations(annotations).ownerReferences(meta.getOwnerReferences())
                    .finalizers(meta.getFinalizers());
            return new V1Pod().apiVersion("v1").kind("Pod").metadata(copy).spec(pod.getSpec()).status(pod.getStatus());
        }

        private Merged merged(Map<String, V1Pod> next) {
            List<PodUpdate> updates = new ArrayList<>();
            emit(updates, PodOperation.REMOVE, removed);
            emit(updates, PodOperation.ADD, added);
            emit(updates, PodOperation.UPDATE, updated);
            emit(updates, PodOperation.DELETE, deleted);
            emit(updates, PodOperation.RECONCILE, reconciled);
            return new Merged(next, updates, rejected);
        }

        private void emit(List<PodUpdate> updates, PodOperation operation, List<V1Pod> pods) {
            if (!pods.isEmpty()) {
                updates.add(new PodUpdate(operation, source, pods));
            }
        }
    }
}
