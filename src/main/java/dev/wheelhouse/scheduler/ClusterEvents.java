package dev.wheelhouse.scheduler;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.workqueue.Priority;
import dev.wheelhouse.workqueue.WorkQueue;

/** Event handlers: they update the cache and enqueue tasks (upstream: {@code pkg/scheduler/eventhandlers.go}). */
record ClusterEvents(SchedulerConfig config, SchedulerCache cache, PendingPods pending, WorkQueue<Task> tasks) {
    private void happened(Task.Cause cause) {
        if (pending.size() > 0) {
            tasks.add(new Task.Reconsider(cause));
        }
    }

    ResourceEventHandler<V1Node> nodes() {
        return ResourceEventHandler.of((before, after) -> {
            if (after == null) {
                cache.removeNode(Objects.requireNonNull(before).getMetadata().getName());
            }
            if (after == null || cache.setNode(after)) {
                happened(Task.Cause.NODE_CHANGED);
            }
        });
    }

    ResourceEventHandler<V1Namespace> namespaces() {
        return ResourceEventHandler.of((before, after) -> {
            if (before == null || after == null
                    || !Objects.equals(before.getMetadata().getLabels(), after.getMetadata().getLabels())) {
                happened(Task.Cause.POD_ADDED);
            }
        });
    }

    ResourceEventHandler<V1Pod> pods() {
        return new ResourceEventHandler<>() {
            @Override
            public void onAdd(V1Pod pod, boolean initial) {
                seen(null, pod, initial);
            }

            @Override
            public void onUpdate(V1Pod before, V1Pod after) {
                if (!Objects.equals(before.getMetadata().getUid(), after.getMetadata().getUid())) {
                    gone(before);
                    seen(null, after, false);
                } else {
                    seen(before, after, false);
                }
            }

            @Override
            public void onDelete(V1Pod pod, boolean finalStateUnknown) {
                gone(pod);
            }
        };
    }

    private void seen(@Nullable V1Pod before, V1Pod pod, boolean initial) {
        ObjectKey key = ObjectKey.of(pod);
        if (PodPredicates.isTerminal(pod)) {
            gone(pod);
        } else if (PodPredicates.isAssigned(pod)) {
            if (before == null || !PodPredicates.isAssigned(before) || !PodPredicates.sameForScheduling(before, pod)) {
                place(pod);
            }
            pending.left(key);
        } else if (config.takes(pod)) {
            if (before == null || !PodPredicates.sameForScheduling(before, pod)) {
                PodInfo info = PodInfo.of(pod);
                if (before == null && !info.nominated().isEmpty()) {
                    cache.nominate(info);
                }
                pending.arrived(key, info.uid());
                tasks.add(new Task.Schedule(key), initial ? Priority.BACKGROUND : Priority.LIVE);
            }
        } else {
            pending.left(key);
        }
    }

    private void place(V1Pod pod) {
        if (cache.place(PodInfo.of(pod), pod.getSpec().getNodeName())) {
            happened(Task.Cause.POD_ADDED);
        }
    }

    private void gone(V1Pod pod) {
        if (cache.remove(String.valueOf(pod.getMetadata().getUid()))) {
            happened(Task.Cause.POD_DELETED);
        }
        pending.left(ObjectKey.of(pod));
    }
}
