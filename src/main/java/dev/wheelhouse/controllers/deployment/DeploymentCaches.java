package dev.wheelhouse.controllers.deployment;

import java.time.Instant;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.OwnedObjects;
import dev.wheelhouse.informer.SharedIndexInformer;

/** The caches of Deployments, ReplicaSets and pods, and the relations between their objects. Thread safe. */
final class DeploymentCaches {
    private static final Set<String> FINISHED = Set.of("Succeeded", "Failed");

    private final SharedIndexInformer<V1Deployment> deployments;
    private final OwnedObjects<V1ReplicaSet> replicaSets;
    private final OwnedObjects<V1Pod> pods;

    DeploymentCaches(SharedIndexInformer<V1Deployment> deployments, SharedIndexInformer<V1ReplicaSet> replicaSets,
            SharedIndexInformer<V1Pod> pods) {
        this.deployments = deployments;
        this.replicaSets = new OwnedObjects<>(replicaSets);
        this.pods = new OwnedObjects<>(pods);
    }

    /** @throws IllegalArgumentException if the Deployment's selector is invalid */
    DeploymentView view(V1Deployment deployment, Instant now) {
        return DeploymentView.of(deployment, replicaSets.candidates(deployment.getMetadata()), this::unfinishedPods,
                now);
    }

    private int unfinishedPods(V1ReplicaSet replicaSet) {
        return (int) pods.controlledBy(replicaSet.getMetadata()).stream()
                .filter(p -> p.getStatus() == null || !FINISHED.contains(p.getStatus().getPhase())).count();
    }

    /** The Deployment that a controller reference names; null if there is none with that name and UID. */
    private @Nullable V1Deployment resolve(String namespace, @Nullable V1OwnerReference reference) {
        if (reference == null || !ResourceType.DEPLOYMENTS.kind().equals(reference.getKind())) {
            return null;
        }
        V1Deployment deployment = deployments.get(ObjectKey.of(namespace, reference.getName()));
        return deployment != null && reference.getUid().equals(deployment.getMetadata().getUid()) ? deployment : null;
    }

    /** The Deployment that owns the pod's ReplicaSet; null if there is none. */
    @Nullable
    V1Deployment deploymentOf(V1Pod pod) {
        V1OwnerReference reference = OwnerReferences.controllerOf(pod.getMetadata());
        if (reference == null || !ResourceType.REPLICA_SETS.kind().equals(reference.getKind())) {
            return null;
        }
        String namespace = pod.getMetadata().getNamespace();
        V1ReplicaSet replicaSet = replicaSets.get(ObjectKey.of(namespace, reference.getName()));
        return replicaSet == null || !reference.getUid().equals(replicaSet.getMetadata().getUid())
                ? null
                : resolve(namespace, OwnerReferences.controllerOf(replicaSet.getMetadata()));
    }
}
