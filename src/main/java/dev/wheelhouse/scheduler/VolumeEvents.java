package dev.wheelhouse.scheduler;

import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1StorageClass;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.volumes.PodsOfClaims;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * Handlers that bring pods back when their claims or volumes have changed. A change of a claim concerns only the pods
 * that use it (upstream: {@code EventsToRegister} in {@code plugins/volumebinding/volume_binding.go}).
 */
final class VolumeEvents {
    private final SchedulerConfig config;
    private final PodsOfClaims podsOfClaims;
    private final VolumeCaches caches;
    private final PendingPods pending;
    private final WorkQueue<Task> tasks;
    private final WriteQueue writes;

    VolumeEvents(SchedulerConfig config, SharedIndexInformer<V1Pod> pods, VolumeCaches caches, PendingPods pending,
            WorkQueue<Task> tasks, WriteQueue writes) {
        this.config = config;
        this.caches = caches;
        this.pending = pending;
        this.tasks = tasks;
        this.writes = writes;
        podsOfClaims = new PodsOfClaims(pods.getIndexer());
    }

    /** Registers the handlers. */
    List<SharedIndexInformer.Registration> register() {
        return List.of(caches.claims.addEventHandler(ResourceEventHandler.of(this::claimChanged)),
                caches.volumes.addEventHandler(ResourceEventHandler.of(this::volumeChanged)),
                caches.classes.addEventHandler(ResourceEventHandler.of(this::classChanged)),
                always(caches.nodes), always(caches.drivers), always(caches.capacities), always(caches.attachments));
    }

    private <T extends KubernetesObject> SharedIndexInformer.Registration always(SharedIndexInformer<T> informer) {
        return informer.addEventHandler(ResourceEventHandler.of((before, after) -> volumesChanged()));
    }

    void close() {
        podsOfClaims.close();
    }

    private void volumesChanged() {
        if (pending.size() > 0) {
            tasks.add(new Task.Reconsider(Task.Cause.VOLUME_CHANGED));
        }
    }

    private void claimChanged(@Nullable V1PersistentVolumeClaim before, @Nullable V1PersistentVolumeClaim after) {
        for (V1Pod pod : podsOfClaims.using(ObjectKey.of(after != null ? after : Objects.requireNonNull(before)))) {
            if (config.takes(pod)) {
                tasks.add(new Task.ReconsiderOne(ObjectKey.of(pod)));
                writes.wake(ObjectKey.of(pod));
            }
        }
    }

    private void volumeChanged(@Nullable V1PersistentVolume before, @Nullable V1PersistentVolume after) {
        if (after == null || after.getSpec().getClaimRef() != null) {
            caches.shown(after != null ? after : Objects.requireNonNull(before));
        }
        if (after != null) {
            volumesChanged();
        }
    }

    private void classChanged(@Nullable V1StorageClass before, @Nullable V1StorageClass after) {
        if (after != null && (before == null
                || !Objects.equals(before.getAllowedTopologies(), after.getAllowedTopologies()))) {
            volumesChanged();
        }
    }
}
