package dev.wheelhouse.controllers.disruption;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1ReplicationController;
import io.kubernetes.client.openapi.models.V1StatefulSet;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.informer.SharedIndexInformer;

/**
 * Determines how many pods the controllers of pods want: ReplicaSets or their Deployments, StatefulSets and
 * ReplicationControllers (upstream: {@code getExpectedScale} in {@code disruption.go}, but without the scale
 * subresource of other kinds).
 */
record OwnerScales(SharedIndexInformer<V1ReplicaSet> replicaSets, SharedIndexInformer<V1Deployment> deployments,
        SharedIndexInformer<V1StatefulSet> statefulSets, SharedIndexInformer<V1ReplicationController> controllers) {

    DisruptionView.Scale of(List<V1Pod> pods) {
        Set<String> seen = new HashSet<>();
        Map<String, Integer> byOwner = new HashMap<>();
        List<String> unmanaged = new ArrayList<>();
        for (V1Pod pod : pods) {
            V1OwnerReference reference = OwnerReferences.controllerOf(pod.getMetadata());
            if (reference == null) {
                unmanaged.add(String.valueOf(pod.getMetadata().getName()));
            } else if (seen.add(reference.getUid())) {
                Owner owner = owner(String.valueOf(pod.getMetadata().getNamespace()), reference);
                if (owner == null) {
                    return new DisruptionView.Scale(0, unmanaged, "found no controllers for pod \""
                            + pod.getMetadata().getName() + "\": a " + reference.getKind()
                            + " does not exist or has no known number of replicas; give the budget an integer"
                            + " minAvailable");
                }
                byOwner.put(owner.uid, owner.replicas);
            }
        }
        return new DisruptionView.Scale(byOwner.values().stream().mapToInt(Integer::intValue).sum(), unmanaged, null);
    }

    private record Owner(String uid, int replicas) {
        static Owner of(KubernetesObject owner, @Nullable Integer replicas) {
            return new Owner(String.valueOf(owner.getMetadata().getUid()), replicas == null ? 1 : replicas);
        }
    }

    private @Nullable Owner owner(String namespace, V1OwnerReference reference) {
        switch (reference.getKind()) {
            case "ReplicaSet" -> {
                V1ReplicaSet set = found(replicaSets, namespace, reference);
                if (set == null) {
                    return null;
                }
                V1OwnerReference above = OwnerReferences.controllerOf(set.getMetadata());
                if (above == null || !above.getKind().equals("Deployment")) {
                    return Owner.of(set, set.getSpec().getReplicas());
                }
                V1Deployment deployment = found(deployments, namespace, above);
                return deployment == null ? null : Owner.of(deployment, deployment.getSpec().getReplicas());
            }
            case "StatefulSet" -> {
                V1StatefulSet set = found(statefulSets, namespace, reference);
                return set == null ? null : Owner.of(set, set.getSpec().getReplicas());
            }
            case "ReplicationController" -> {
                V1ReplicationController controller = found(controllers, namespace, reference);
                return controller == null ? null : Owner.of(controller, controller.getSpec().getReplicas());
            }
            default -> {
                return null;
            }
        }
    }

    private static <T extends KubernetesObject> @Nullable T found(SharedIndexInformer<T> cache, String namespace,
            V1OwnerReference reference) {
        T owner = cache.get(ObjectKey.of(namespace, reference.getName()));
        return owner != null && Objects.equals(owner.getMetadata().getUid(), reference.getUid()) ? owner : null;
    }
}
