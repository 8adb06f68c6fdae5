package dev.wheelhouse.controllers.replicaset;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.controller.Expectations;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.workqueue.Priority;
import dev.wheelhouse.workqueue.WorkQueue;

/** Event handlers: they enqueue the ReplicaSets that a change concerns, and record observed expectations. */
final class ReplicaSetHandlers {
    private final PodSets sets;
    private final WorkQueue<ObjectKey> queue;
    private final Expectations expectations;

    ReplicaSetHandlers(PodSets sets, WorkQueue<ObjectKey> queue, Expectations expectations) {
        this.sets = sets;
        this.queue = queue;
        this.expectations = expectations;
    }

    void register(SharedIndexInformer<V1Pod> pods) {
        sets.addEventHandler(new OfSets());
        pods.addEventHandler(new OfPods());
    }

    private final class OfSets implements ResourceEventHandler<V1ReplicaSet> {
        @Override
        public void onAdd(V1ReplicaSet set, boolean initial) {
            queue.add(ObjectKey.of(set), initial ? Priority.BACKGROUND : Priority.LIVE);
        }

        @Override
        public void onUpdate(V1ReplicaSet before, V1ReplicaSet after) {
            if (!Objects.equals(before.getMetadata().getUid(), after.getMetadata().getUid())) {
                expectations.forget(before.getMetadata().getUid());
            }
            queue.add(ObjectKey.of(after), isResync(before, after) ? Priority.BACKGROUND : Priority.LIVE);
        }

        private boolean isResync(V1ReplicaSet before, V1ReplicaSet after) {
            return Objects.equals(before.getMetadata().getResourceVersion(), after.getMetadata().getResourceVersion());
        }

        @Override
        public void onDelete(V1ReplicaSet set, boolean finalStateUnknown) {
            expectations.forget(set.getMetadata().getUid());
            queue.add(ObjectKey.of(set));
        }
    }

    private final class OfPods implements ResourceEventHandler<V1Pod> {
        @Override
        public void onAdd(V1Pod pod, boolean initial) {
            Priority priority = initial ? Priority.BACKGROUND : Priority.LIVE;
            if (Pods.isDeleting(pod)) {
                deleted(pod, priority);
                return;
            }
            V1OwnerReference reference = OwnerReferences.controllerOf(pod.getMetadata());
            if (reference == null) {
                wakeMatching(pod, priority);
                return;
            }
            V1ReplicaSet owner = resolve(pod, reference);
            if (owner != null) {
                expectations.creationObserved(owner.getMetadata().getUid());
                queue.add(ObjectKey.of(owner), priority);
            }
        }

        @Override
        public void onUpdate(V1Pod before, V1Pod after) {
            if (Objects.equals(before.getMetadata().getResourceVersion(), after.getMetadata().getResourceVersion())) {
                return;
            }
            V1OwnerReference oldOwner = OwnerReferences.controllerOf(before.getMetadata());
            V1OwnerReference newOwner = OwnerReferences.controllerOf(after.getMetadata());
            boolean ownerChanged = !Objects.equals(oldOwner, newOwner);
            if (Pods.isDeleting(after)) {
                deleted(after, Priority.LIVE);
                if (ownerChanged) {
                    deleted(before, Priority.LIVE);
                }
                return;
            }
            if (ownerChanged && oldOwner != null) {
                wake(resolve(before, oldOwner));
            }
            if (newOwner != null) {
                wake(resolve(after, newOwner));
            } else if (ownerChanged
                    || !Objects.equals(before.getMetadata().getLabels(), after.getMetadata().getLabels())) {
                wakeMatching(after, Priority.LIVE);
            }
        }

        @Override
        public void onDelete(V1Pod pod, boolean finalStateUnknown) {
            deleted(pod, Priority.LIVE);
        }

        private void deleted(V1Pod pod, Priority priority) {
            V1OwnerReference reference = OwnerReferences.controllerOf(pod.getMetadata());
            V1ReplicaSet owner = reference == null ? null : resolve(pod, reference);
            if (owner != null) {
                expectations.deletionObserved(owner.getMetadata().getUid(), String.valueOf(pod.getMetadata().getUid()));
                queue.add(ObjectKey.of(owner), priority);
            }
        }
    }

    private void wake(@Nullable V1ReplicaSet set) {
        if (set != null) {
            queue.add(ObjectKey.of(set));
        }
    }

    /** Enqueues all sets whose selectors match a pod without a controller, because one of them may adopt it. */
    private void wakeMatching(V1Pod pod, Priority priority) {
        for (V1ReplicaSet set : sets.list(pod.getMetadata().getNamespace())) {
            if (selects(set, pod)) {
                queue.add(ObjectKey.of(set), priority);
            }
        }
    }

    private static boolean selects(V1ReplicaSet set, V1Pod pod) {
        try {
            LabelSelector selector = LabelSelector.of(set.getSpec().getSelector());
            return !selector.isEverything() && selector.matches(pod.getMetadata().getLabels());
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** The set that a reference names; null if there is none with that name and UID. */
    private @Nullable V1ReplicaSet resolve(V1Pod pod, V1OwnerReference reference) {
        if (!sets.type().kind().equals(reference.getKind())) {
            return null;
        }
        V1ReplicaSet set = sets.get(ObjectKey.of(pod.getMetadata().getNamespace(), reference.getName()));
        return set != null && Objects.equals(set.getMetadata().getUid(), reference.getUid()) ? set : null;
    }
}
