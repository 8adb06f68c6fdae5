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

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;

/**
 * A ReplicaSet within one decision: as the cache holds it, and as it is to become. All changes to one ReplicaSet make one
 * write. Belongs to the thread that decides.
 */
final class ReplicaSetDraft {
    static final Comparator<ReplicaSetDraft> BY_AGE = Comparator.comparing(ReplicaSetDraft::created)
            .thenComparing(ReplicaSetDraft::name);
    /** The larger first; of one size, the older first. */
    static final Comparator<ReplicaSetDraft> BY_SIZE_OLDER = Comparator.comparingInt(ReplicaSetDraft::replicas)
            .reversed().thenComparing(BY_AGE);
    /** The larger first; of one size, the newer first. */
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

    /** As it is to become; for reading. */
    V1ReplicaSet object() {
        if (after != null) {
            return after;
        }
        if (before == null) {
            throw new IllegalStateException("a ReplicaSet draft with neither a before nor an after");
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
        return Annotations.of(meta()).get(key);
    }

    /** The wanted size, with what this decision has changed of it. */
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
     * Available pods that its size leaves it. Until its controller has acted on a smaller size, its status tells of pods that are
     * about to go: whoever counted on those would take away too many.
     */
    int lastingAvailableReplicas() {
        return Math.min(availableReplicas(), replicas());
    }

    /** Pods that take up room: until its controller has acted on a smaller size, those that are about to go still do. */
    int occupiedReplicas() {
        return Math.max(actualReplicas(), replicas());
    }

    private static int orZero(@Nullable Integer count) {
        return count == null ? 0 : count;
    }

    long observedGeneration() {
        Long observed = status().getObservedGeneration();
        return observed == null ? 0 : observed;
    }

    /** The object, whose fields, and those of its metadata and spec, may be given other values. */
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
        Map<String, String> annotations = new HashMap<>(Annotations.of(meta));
        annotations.put(key, value);
        meta.setAnnotations(annotations);
    }

    /** Gives it a size, and notes what the Deployment's size was then. */
    void resize(int size, int desired, int max, String why) {
        edit(why).getSpec().setReplicas(size);
        annotate(Annotations.DESIRED_REPLICAS, Integer.toString(desired), why);
        annotate(Annotations.MAX_REPLICAS, Integer.toString(max), why);
    }

    boolean notesSize(int desired, int max) {
        return Integer.toString(desired).equals(annotation(Annotations.DESIRED_REPLICAS))
                && Integer.toString(max).equals(annotation(Annotations.MAX_REPLICAS));
    }

    boolean isChanged() {
        return after != null;
    }

    /** The write that makes it so. */
    Action.Write write() {
        int from = before == null ? 0 : sizeOf(before);
        String why = (from == replicas() ? "" : "from " + from + " to " + replicas() + " replicas: ")
                + String.join("; ", reasons);
        return before == null
                ? new Action.Create(ResourceType.REPLICA_SETS, object(), why)
                : new Action.Update(ResourceType.REPLICA_SETS, object(), why);
    }

    /** What the Deployment's event says of the change of size, or null if there is none. */
    @Nullable
    String scalingMessage() {
        int from = before == null ? 0 : sizeOf(before);
        int to = replicas();
        return from == to
                ? null
                : "Scaled " + (from < to ? "up" : "down") + " replica set " + name() + " from " + from + " to " + to;
    }
}
