package dev.wheelhouse.controllers.daemonset;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.kubernetes.client.openapi.models.V1ControllerRevision;
import io.kubernetes.client.openapi.models.V1DaemonSet;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.controller.OwnKeys;
import dev.wheelhouse.controllers.pods.OwnerKeys;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.workqueue.Priority;
import dev.wheelhouse.workqueue.WorkQueue;

/** Event handlers: they enqueue the DaemonSets that a change concerns. */
final class DaemonSetHandlers {
    private final DaemonSetCaches caches;
    private final WorkQueue<ObjectKey> queue;

    DaemonSetHandlers(DaemonSetCaches caches, WorkQueue<ObjectKey> queue) {
        this.caches = caches;
        this.queue = queue;
    }

    void register(SharedIndexInformer<V1DaemonSet> sets, SharedIndexInformer<V1Pod> pods,
            SharedIndexInformer<V1ControllerRevision> revisions, SharedIndexInformer<V1Node> nodes) {
        sets.addEventHandler(new OwnKeys<>(queue));
        pods.addEventHandler(new OfPods());
        revisions.addEventHandler(new OfRevisions());
        nodes.addEventHandler(new OfNodes());
    }

    private final class OfPods extends OwnerKeys<V1DaemonSet, V1Pod> {
        OfPods() {
            super(caches, queue);
        }

        @Override
        protected void updated(V1DaemonSet owner, V1Pod before, V1Pod after) {
            super.updated(owner, before, after);
            Integer minReadySeconds = owner.getSpec().getMinReadySeconds();
            if (minReadySeconds != null && minReadySeconds > 0 && !Pods.isReady(before) && Pods.isReady(after)) {
                // One more second, because the times in conditions have no fractions.
                queue.addAfter(ObjectKey.of(owner), Duration.ofSeconds(minReadySeconds + 1L));
            }
        }
    }

    /** A new revision that a DaemonSet controls wakes nobody, because the controller itself made it. */
    private final class OfRevisions extends OwnerKeys<V1DaemonSet, V1ControllerRevision> {
        OfRevisions() {
            super(caches, queue);
        }

        @Override
        protected void added(V1DaemonSet owner, V1ControllerRevision revision, Priority priority) {
            // Nobody waits for it.
        }
    }

    /**
     * A node that is new, or has other labels or taints, wakes the DaemonSets that have to create or to delete a pod
     * there, or to correct their count of misplaced pods. A node's deletion wakes none: the pod garbage collector
     * deletes its pods.
     */
    private final class OfNodes implements ResourceEventHandler<V1Node> {
        @Override
        public void onAdd(V1Node node, boolean initial) {
            if (!initial) {
                changed(node);
            }
        }

        @Override
        public void onUpdate(V1Node before, V1Node after) {
            if (!Objects.equals(before.getMetadata().getLabels(), after.getMetadata().getLabels())
                    || !NodePredicates.taints(before).equals(NodePredicates.taints(after))) {
                changed(after);
            }
        }
    }

    private void changed(V1Node node) {
        List<V1Pod> pods = caches.podsOn(node);
        for (V1DaemonSet set : caches.all()) {
            boolean scheduled = pods.stream().anyMatch(pod -> OwnerReferences.isControlledBy(pod, set.getMetadata()));
            boolean concerned = switch (NodePredicates.of(set.getSpec().getTemplate().getSpec()).on(node)) {
                case RUN -> !scheduled;
                case KEEP -> false;
                case LEAVE, ABSENT -> scheduled;
            };
            boolean misplaced = set.getStatus() != null && set.getStatus().getNumberMisscheduled() != null
                    && set.getStatus().getNumberMisscheduled() > 0;
            if (concerned || scheduled && misplaced) {
                queue.add(ObjectKey.of(set));
            }
        }
    }
}
