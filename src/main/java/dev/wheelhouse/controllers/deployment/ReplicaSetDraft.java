package dev.wheelhouse.controllers.deployment;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1ReplicaSetStatus;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;

import static dev.wheelhouse.api.Absent.orZero;

/**
 * A ReplicaSet within one decision: its cached state and its desired one. All changes of one ReplicaSet result in one
 * write. Not thread safe.
 */
final class ReplicaSetDraft {
    static final Comparator<ReplicaSetDraft> BY_AGE = Comparator.comparing(ReplicaSetDraft::created)
            .thenComparing(ReplicaSetDraft::name);
    /** By size, the largest first; for equal sizes, the older first. */
    static final Comparator<ReplicaSetDraft> BY_SIZE_OLDER = Comparator.comparingInt(ReplicaSetDraft::replicas)
            .reversed().thenComparing(BY_AGE);
    /** By size, the largest first; for equal sizes, the newer first. */
    static final Comparator<ReplicaSetDraft> BY_SIZE_NEWER = Comparator.comparingInt(ReplicaSetDraft::replicas)
            .reversed().thenComparing(BY_AGE.reversed());

    private static final V1ReplicaSetStatus NO_STATUS = new V1ReplicaSetStatus();

    private final @Nullable V1ReplicaSet before;
    private @Nullable V1ReplicaSet after;
    private final List<String> reasons = new ArrayList<>();

    private ReplicaSetDraft(@Nullable V1ReplicaSet before, @Nullable V1ReplicaSet after) {
        this.before = before;
        this.after = after;
    }

    static ReplicaSetDraft existing(V1ReplicaSet cached) {
        return new ReplicaSetDraft(cached, null);
    }

    static ReplicaSetDraft toCreate(V1ReplicaSet replicaSet) {
        return new ReplicaSetDraft(null, replicaSet);
    }

    boolean isToCreate() {
        return before == null;
    }

    /** The desired state, for reading only. */
    V1ReplicaSet object() {
        if (after != null) {
            return after;
        }
        if (before == null) {
            throw new IllegalStateException("a ReplicaSet draft has neither a cached nor a desired state");
        }
        return before;
    }

    V1ObjectMeta meta() {
        return object().getMetadata();
    }

    String name() {
        return meta().getName();
    }

    @Nullable
    String uid() {
        return meta().getUid();
    }

    Instant created() {
        OffsetDateTime created = meta().getCreationTimestamp();
        return created == null ? Instant.MAX : created.toInstant();
    }

    boolean isBeingDeleted() {
        return meta().getDeletionTimestamp() != null;
    }

    @Nullable
    String annotation(String key) {
        return Metadata.annotations(meta()).get(key);
    }

    /** The desired size, including changes of this decision. */
    int replicas() {
        return sizeOf(object());
    }

    private static int sizeOf(V1ReplicaSet replicaSet) {
        Integer replicas = replicaSet.getSpec().getReplicas();
        return replicas == null ? 1 : replicas;
    }

    boolean isActive() {
        return replicas() > 0;
    }

    V1ReplicaSetStatus status() {
        V1ReplicaSetStatus status = object().getStatus();
        return status == null ? NO_STATUS : status;
    }

    int actualReplicas() {
        return orZero(status().getReplicas());
    }

    int readyReplicas() {
        return orZero(status().getReadyReplicas());
    }

    int availableReplicas() {
        return orZero(status().getAvailableReplicas());
    }

    /**
     * The available pods that remain at the desired size. Until the ReplicaSet controller has observed a smaller size,
     * the status still counts pods that are about to be deleted; counting on these would remove too many others.
     */
    int lastingAvailableReplicas() {
        return Math.min(availableReplicas(), replicas());
    }

    /**
     * The pods that count against the surge. Pods that are about to be deleted still count until the controller has
     * acted.
     */
    int occupiedReplicas() {
        return Math.max(actualReplicas(), replicas());
    }

    long observedGeneration() {
        return orZero(status().getObservedGeneration());
    }

    /** Whether the status is that of the desired spec. */
    boolean isObserved() {
        Long generation = meta().getGeneration();
        return before != null && observedGeneration() >= (orZero(generation))
                && (after == null || before.getSpec().equals(after.getSpec()));
    }

    /**
     * The object to change. Only its own fields and those of its metadata and spec may be set; nested values are
     * shared.
     */
    V1ReplicaSet edit(String why) {
        if (after == null) {
            V1ReplicaSet copy = ModelJson.shallowCopy(object());
            copy.setMetadata(ModelJson.shallowCopy(copy.getMetadata()));
            copy.setSpec(ModelJson.shallowCopy(copy.getSpec()));
            after = copy;
        }
        if (!reasons.contains(why)) {
            reasons.add(why);
        }
        return after;
    }

    void annotate(String key, String value, String why) {
        V1ObjectMeta meta = edit(why).getMetadata();
        Map<String, String> annotations = new HashMap<>(Metadata.annotations(meta));
        annotations.put(key, value);
        meta.setAnnotations(annotations);
    }

    /** Sets the size, and the annotations with the Deployment's size. */
    void resize(int size, int desired, int max, String why) {
        edit(why).getSpec().setReplicas(size);
        annotate(Annotations.DESIRED_REPLICAS, Integer.toString(desired), why);
        annotate(Annotations.MAX_REPLICAS, Integer.toString(max), why);
    }

    boolean notesSize(int desired, int max) {
        return Integer.toString(desired).equals(annotation(Annotations.DESIRED_REPLICAS))
                && Integer.toString(max).equals(annotation(Annotations.MAX_REPLICAS));
    }

    /** The write that brings about the desired state. */
    Action.Write write() {
        int from = before == null ? 0 : sizeOf(before);
        String why = (from == replicas() ? "" : "from " + from + " to " + replicas() + " replicas: ")
                + String.join("; ", reasons);
        return before == null
                ? new Action.Create(ResourceType.REPLICA_SETS, object(), why)
                : new Action.Update(ResourceType.REPLICA_SETS, object(), why);
    }

    /** The message of the Deployment's event about a change of size; null if the size does not change. */
    @Nullable
    String scalingMessage() {
        int from = before == null ? 0 : sizeOf(before);
        int to = replicas();
        return from == to
                ? null
                : "Scaled " + (from < to ? "up" : "down") + " replica set " + name() + " from " + from + " to " + to;
    }
}
