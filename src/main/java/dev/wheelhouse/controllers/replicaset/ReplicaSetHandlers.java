package dev.wheelhouse.controllers.replicaset;

import java.util.Objects;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.controller.Expectations;
import dev.wheelhouse.controller.OwnKeys;
import dev.wheelhouse.controllers.pods.OwnerKeys;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.workqueue.Priority;
import dev.wheelhouse.workqueue.WorkQueue;

/** Event handlers: they enqueue the ReplicaSets that a change concerns, and record observed expectations. */
final class ReplicaSetHandlers {
    private final PodSets<?> sets;
    private final WorkQueue<ObjectKey> queue;
    private final Expectations expectations;

    ReplicaSetHandlers(PodSets<?> sets, WorkQueue<ObjectKey> queue, Expectations expectations) {
        this.sets = sets;
        this.queue = queue;
        this.expectations = expectations;
    }

    void register(SharedIndexInformer<V1Pod> pods) {
        sets.addEventHandler(new OfSets());
        pods.addEventHandler(new OfPods());
    }

    private final class OfSets extends OwnKeys<V1ReplicaSet> {
        OfSets() {
            super(queue);
        }

        @Override
        public void onUpdate(V1ReplicaSet before, V1ReplicaSet after) {
            if (!Objects.equals(before.getMetadata().getUid(), after.getMetadata().getUid())) {
                expectations.forget(before.getMetadata().getUid());
            }
            super.onUpdate(before, after);
        }

        @Override
        public void onDelete(V1ReplicaSet set, boolean finalStateUnknown) {
            expectations.forget(set.getMetadata().getUid());
            super.onDelete(set, finalStateUnknown);
        }
    }

    private final class OfPods extends OwnerKeys<V1ReplicaSet, V1Pod> {
        OfPods() {
            super(sets, queue);
        }

        @Override
        protected void added(V1ReplicaSet owner, V1Pod pod, Priority priority) {
            expectations.creationObserved(owner.getMetadata().getUid());
            super.added(owner, pod, priority);
        }

        @Override
        protected void deleted(V1ReplicaSet owner, V1Pod pod, boolean gone, Priority priority) {
            expectations.deletionObserved(owner.getMetadata().getUid(), String.valueOf(pod.getMetadata().getUid()));
            super.deleted(owner, pod, gone, priority);
        }
    }
}
