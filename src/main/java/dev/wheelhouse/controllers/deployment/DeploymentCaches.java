package dev.wheelhouse.controllers.deployment;

import java.time.Instant;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import dev.wheelhouse.controller.OwnedObjects;
import dev.wheelhouse.controller.Owners;
import dev.wheelhouse.informer.SharedIndexInformer;

/** The caches of Deployments, ReplicaSets and pods, and the relations between their objects. Thread safe. */
final class DeploymentCaches {
    private static final Set<String> FINISHED = Set.of("Succeeded", "Failed");

    private final Owners<V1Deployment> deployments;
    private final Owners<V1ReplicaSet> owners;
    private final OwnedObjects<V1ReplicaSet> replicaSets;
    private final OwnedObjects<V1Pod> pods;

    DeploymentCaches(Owners<V1Deployment> deployments, SharedIndexInformer<V1ReplicaSet> replicaSets,
            SharedIndexInformer<V1Pod> pods) {
        this.deployments = deployments;
        this.owners = Owners.in(replicaSets, set -> null);
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

    /** The Deployment that owns the pod's ReplicaSet; null if there is none. */
    @Nullable
    V1Deployment deploymentOf(V1Pod pod) {
        V1ReplicaSet replicaSet = owners.controllerOf(pod);
        return replicaSet == null ? null : deployments.controllerOf(replicaSet);
    }
}
