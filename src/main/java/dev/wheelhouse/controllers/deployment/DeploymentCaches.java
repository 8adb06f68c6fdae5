package dev.wheelhouse.controllers.deployment;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.informer.Indexer;

/** The caches of Deployments, ReplicaSets and pods, and the relations between their objects. Thread safe. */
final class DeploymentCaches {
    /** The index of objects by the UID of their controller. */
    static final String BY_CONTROLLER = "deployment-controller/controller-uid";
    /** The index of ReplicaSets without a controller, by namespace. */
    static final String ORPHANS = "deployment-controller/orphans-of-namespace";

    private static final Set<String> FINISHED = Set.of("Succeeded", "Failed");

    private final Indexer<V1Deployment> deployments;
    private final Indexer<V1ReplicaSet> replicaSets;
    private final Indexer<V1Pod> pods;

    DeploymentCaches(Indexer<V1Deployment> deployments, Indexer<V1ReplicaSet> replicaSets, Indexer<V1Pod> pods) {
        this.deployments = deployments;
        this.replicaSets = replicaSets;
        this.pods = pods;
        replicaSets.addIndex(BY_CONTROLLER, r -> controllerUid(OwnerReferences.controllerOf(r.getMetadata())));
        replicaSets.addIndex(ORPHANS, r -> OwnerReferences.controllerOf(r.getMetadata()) == null
                ? List.of(r.getMetadata().getNamespace())
                : List.of());
        pods.addIndex(BY_CONTROLLER, p -> controllerUid(OwnerReferences.controllerOf(p.getMetadata())));
    }

    @Nullable
    V1Deployment get(ObjectKey key) {
        return deployments.get(key);
    }

    private static List<String> controllerUid(@Nullable V1OwnerReference reference) {
        return reference == null ? List.of() : List.of(reference.getUid());
    }

    /**
     * The view of a Deployment; null if it does not exist.
     *
     * @throws IllegalArgumentException if its selector is invalid
     */
    @Nullable
    DeploymentView view(ObjectKey key, Instant now) {
        V1Deployment deployment = deployments.get(key);
        if (deployment == null) {
            return null;
        }
        List<V1ReplicaSet> candidates = new ArrayList<>(
                replicaSets.byIndex(BY_CONTROLLER, deployment.getMetadata().getUid()));
        candidates.addAll(replicaSets.byIndex(ORPHANS, key.namespace()));
        return DeploymentView.of(deployment, candidates, this::unfinishedPods, now);
    }

    private int unfinishedPods(V1ReplicaSet replicaSet) {
        return (int) pods.byIndex(BY_CONTROLLER, replicaSet.getMetadata().getUid()).stream()
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
