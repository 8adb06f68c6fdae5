package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1ReplicationController;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;

import static dev.wheelhouse.simulation.Truth.isActive;
import static dev.wheelhouse.simulation.Truth.isReady;
import static dev.wheelhouse.simulation.Truth.name;
import static dev.wheelhouse.simulation.Truth.owns;
import static dev.wheelhouse.simulation.Truth.uid;

/**
 * A ReplicaSet or ReplicationController never gets more pods than it wants, never loses more than it has too many,
 * loses no pod twice, and loses pods that are not ready first.
 */
record ReplicaSetInvariants<T extends KubernetesObject>(Truth truth, RunHistory history, ResourceType type,
        Class<T> model) implements Invariant {
    static Invariant of(Truth truth, RunHistory history) {
        return new ReplicaSetInvariants<>(truth, history, ResourceType.REPLICA_SETS, V1ReplicaSet.class);
    }

    static Invariant ofControllers(Truth truth, RunHistory history) {
        return new ReplicaSetInvariants<>(truth, history, ResourceType.REPLICATION_CONTROLLERS,
                V1ReplicationController.class);
    }

    private int wanted(T object) {
        return object instanceof V1ReplicaSet set
                ? set.getSpec().getReplicas()
                : ((V1ReplicationController) object).getSpec().getReplicas();
    }

    @Override
    public List<String> before(Write write) {
        if (write.is("create", ResourceType.PODS)) {
            return created(write);
        }
        return write.is("delete", ResourceType.PODS) ? deleted(write) : List.of();
    }

    @Override
    public List<String> late(Write write, int created) {
        T read = write.is("create", ResourceType.PODS) ? readOwner(write) : null;
        if (read == null) {
            return List.of();
        }
        int lacked = wanted(read) - (int) write.read(ResourceType.PODS, V1Pod.class).stream()
                .filter(p -> owns(read, p) && isActive(p)).count();
        return created <= lacked ? List.of() : List.of(created + " pods, and it lacked " + lacked);
    }

    /** The owner of the pod that is to be created, as the manager has read it; null if that is of another type. */
    private @Nullable T readOwner(Write write) {
        V1Pod pod = write.object(V1Pod.class);
        return pod == null ? null : write.owner(pod, type, model);
    }

    private List<String> created(Write write) {
        T read = readOwner(write);
        if (read == null) {
            return List.of();
        }
        long after = truth.pods().stream().filter(p -> owns(read, p) && isActive(p)).count() + 1;
        return after <= wanted(read) + history.lateCreates()
                ? List.of()
                : List.of("a creation gives " + name(read) + " " + after + " pods, and it read that it wants "
                        + wanted(read));
    }

    private List<String> deleted(Write write) {
        ObjectKey key = write.request().key();
        V1Pod pod = truth.pod(key);
        V1OwnerReference owner = pod == null ? null : OwnerReferences.controllerOf(pod.getMetadata());
        if (pod == null || owner == null || !owner.getKind().equals(type.kind()) || truth.isEnding()) {
            return List.of();
        }
        T live = truth.list(type, model).stream().filter(r -> uid(r).equals(owner.getUid())).findFirst()
                .orElse(null);
        T read = write.read(type, model,
                new ObjectKey(key.namespace(), owner.getName()));
        if (live == null || live.getMetadata().getDeletionTimestamp() != null || read == null) {
            return List.of();
        }
        List<String> wrong = new ArrayList<>();
        if (history.isAcknowledged(uid(pod))) {
            wrong.add("pod " + key.name() + " is deleted twice");
        }
        List<V1Pod> pods = truth.pods().stream().filter(p -> owns(live, p) && isActive(p)).toList();
        long after = pods.stream().filter(p -> !name(p).equals(name(pod))).count();
        long counted = history.ended().stream().filter(name -> !name.equals(name(pod)))
                .map(name -> write.read(ResourceType.PODS, V1Pod.class, new ObjectKey(key.namespace(), name)))
                .filter(p -> p != null && owns(live, p) && isActive(p)).count();
        if (isActive(pod) && after + counted + history.lateDeletes() < wanted(read)) {
            wrong.add("a deletion leaves " + name(live) + " " + after + " pods, and it read that it wants "
                    + wanted(read));
        }
        V1Pod seen = write.read(ResourceType.PODS, V1Pod.class, key);
        if (seen != null && isReady(seen) && wanted(read) > 0) {
            for (V1Pod other : pods) {
                V1Pod seenOther = write.read(ResourceType.PODS, V1Pod.class, ObjectKey.of(other));
                if (seenOther != null && isActive(seenOther) && !isReady(seenOther)
                        && !history.isAttempted(uid(other))) {
                    wrong.add("pod " + name(pod) + " is deleted, which is ready, before " + name(other)
                            + ", which is not");
                    break;
                }
            }
        }
        return wrong;
    }
}
