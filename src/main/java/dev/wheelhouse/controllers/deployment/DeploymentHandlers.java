package dev.wheelhouse.controllers.deployment;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.controller.OwnKeys;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.workqueue.Priority;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * Event handlers: they enqueue the Deployments that a change concerns (upstream: the handlers of
 * {@code deployment_controller.go}).
 */
final class DeploymentHandlers {
    private final DeploymentCaches caches;
    private final WorkQueue<ObjectKey> queue;

    DeploymentHandlers(DeploymentCaches caches, WorkQueue<ObjectKey> queue) {
        this.caches = caches;
        this.queue = queue;
    }

    private void wake(@Nullable V1Deployment deployment) {
        wake(deployment, Priority.LIVE);
    }

    private void wake(@Nullable V1Deployment deployment, Priority priority) {
        if (deployment != null) {
            queue.add(ObjectKey.of(deployment), priority);
        }
    }

    /** Objects of the initial list get the low priority, so that they do not delay live changes. */
    private static Priority of(boolean initial) {
        return initial ? Priority.BACKGROUND : Priority.LIVE;
    }

    private static boolean isResync(V1ObjectMeta before, V1ObjectMeta after) {
        return Objects.equals(before.getResourceVersion(), after.getResourceVersion());
    }

    ResourceEventHandler<V1Deployment> deployments() {
        return new OwnKeys<>(queue);
    }

    ResourceEventHandler<V1ReplicaSet> replicaSets() {
        return new ResourceEventHandler<>() {
            @Override
            public void onAdd(V1ReplicaSet replicaSet, boolean initial) {
                if (!wakeOwner(replicaSet, of(initial)) && replicaSet.getMetadata().getDeletionTimestamp() == null) {
                    caches.matching(replicaSet).forEach(d -> wake(d, of(initial)));
                }
            }

            @Override
            public void onUpdate(V1ReplicaSet before, V1ReplicaSet after) {
                V1ObjectMeta was = before.getMetadata();
                V1ObjectMeta is = after.getMetadata();
                if (isResync(was, is)) {
                    return;
                }
                V1OwnerReference owner = OwnerReferences.controllerOf(was);
                boolean moved = !Objects.equals(owner, OwnerReferences.controllerOf(is));
                if (moved) {
                    wake(caches.resolve(was.getNamespace(), owner));
                }
                if (!wakeOwner(after, Priority.LIVE) && (moved || !Objects.equals(was.getLabels(), is.getLabels()))) {
                    caches.matching(after).forEach(d -> wake(d));
                }
            }

            @Override
            public void onDelete(V1ReplicaSet replicaSet, boolean finalStateUnknown) {
                wakeOwner(replicaSet, Priority.LIVE);
            }

            /**
             * Enqueues the Deployment that controls the ReplicaSet.
             * @return whether the ReplicaSet has a controller; if so, no other Deployment is concerned
             */
            private boolean wakeOwner(V1ReplicaSet replicaSet, Priority priority) {
                V1OwnerReference owner = OwnerReferences.controllerOf(replicaSet.getMetadata());
                wake(caches.resolve(replicaSet.getMetadata().getNamespace(), owner), priority);
                return owner != null;
            }
        };
    }

    /** A strategy Recreate waits until the last old pod is gone. Nothing else depends on single pods. */
    ResourceEventHandler<V1Pod> pods() {
        return new ResourceEventHandler<>() {
            @Override
            public void onAdd(V1Pod pod, boolean initial) {}

            @Override
            public void onUpdate(V1Pod before, V1Pod after) {}

            @Override
            public void onDelete(V1Pod pod, boolean finalStateUnknown) {
                V1Deployment deployment = caches.deploymentOf(pod);
                if (deployment != null && Fenceposts.strategyType(deployment).equals("Recreate")) {
                    wake(deployment);
                }
            }
        };
    }
}
