package dev.wheelhouse.controllers.statefulset;

import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1StatefulSet;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.OwnKeys;
import dev.wheelhouse.controllers.pods.CachedOwners;
import dev.wheelhouse.controllers.pods.OwnerKeys;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.workqueue.WorkQueue;

/** Event handlers: they enqueue the StatefulSets that a change of a set or a pod concerns. */
final class StatefulSetHandlers {
    private final SharedIndexInformer<V1StatefulSet> sets;
    private final WorkQueue<ObjectKey> queue;

    StatefulSetHandlers(SharedIndexInformer<V1StatefulSet> sets, WorkQueue<ObjectKey> queue) {
        this.sets = sets;
        this.queue = queue;
    }

    void register(SharedIndexInformer<V1Pod> pods, SharedIndexInformer<V1PersistentVolumeClaim> claims) {
        sets.addEventHandler(new OwnKeys<>(queue));
        pods.addEventHandler(
                new OwnerKeys<>(new CachedOwners<>(sets, set -> set.getSpec().getSelector()), queue));
        claims.addEventHandler(new OfClaims());
    }

    /**
     * The deletion of a claim wakes the StatefulSet whose next pod waits for it. (Upstream has no such handler, so that
     * the pod may have to wait for the next resync, some 12 hours later.)
     */
    private final class OfClaims implements ResourceEventHandler<V1PersistentVolumeClaim> {
        @Override
        public void onDelete(V1PersistentVolumeClaim claim, boolean finalStateUnknown) {
            for (V1OwnerReference owner : OwnerReferences.of(claim.getMetadata())) {
                int end = owner.getName().lastIndexOf('-');
                if (owner.getKind().equals(ResourceType.PODS.kind()) && end > 0) {
                    ObjectKey set = ObjectKey.of(claim.getMetadata().getNamespace(),
                            owner.getName().substring(0, end));
                    if (sets.get(set) != null) {
                        queue.add(set);
                    }
                }
            }
        }
    }
}
