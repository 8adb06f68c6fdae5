package dev.wheelhouse.scheduler;

import java.util.List;
import java.util.Objects;

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
    private final PodsOfClaims podsOfClaims;
    private final VolumeCaches caches;
    private final PendingPods pending;
    private final WorkQueue<Task> tasks;
    private final WriteQueue writes;

    VolumeEvents(SharedIndexInformer<V1Pod> pods, VolumeCaches caches, PendingPods pending, WorkQueue<Task> tasks,
            WriteQueue writes) {
        this.caches = caches;
        this.pending = pending;
        this.tasks = tasks;
        this.writes = writes;
        podsOfClaims = new PodsOfClaims(pods.getIndexer());
    }

    /** Registers the handlers. */
    List<SharedIndexInformer.Registration> register() {
        return List.of(caches.claims.addEventHandler(new OfClaims()), caches.volumes.addEventHandler(new OfVolumes()),
                caches.classes.addEventHandler(new OfClasses()));
    }

    void close() {
        podsOfClaims.close();
    }

    private void volumesChanged() {
        if (pending.size() > 0) {
            tasks.add(new Task.Reconsider(Task.Cause.VOLUME_CHANGED));
        }
    }

    private final class OfClaims implements ResourceEventHandler<V1PersistentVolumeClaim> {
        @Override
        public void onAdd(V1PersistentVolumeClaim claim, boolean initial) {
            for (V1Pod pod : podsOfClaims.using(ObjectKey.of(claim))) {
                if (PodPredicates.isOurs(pod)) {
                    tasks.add(new Task.ReconsiderOne(ObjectKey.of(pod)));
                    writes.wake(ObjectKey.of(pod));
                }
            }
        }

        @Override
        public void onUpdate(V1PersistentVolumeClaim before, V1PersistentVolumeClaim after) {
            onAdd(after, false);
        }

        @Override
        public void onDelete(V1PersistentVolumeClaim claim, boolean finalStateUnknown) {
            onAdd(claim, false);
        }
    }

    private final class OfVolumes implements ResourceEventHandler<V1PersistentVolume> {
        @Override
        public void onAdd(V1PersistentVolume volume, boolean initial) {
            if (volume.getSpec().getClaimRef() != null) {
                caches.shown(volume);
            }
            volumesChanged();
        }

        @Override
        public void onUpdate(V1PersistentVolume before, V1PersistentVolume after) {
            onAdd(after, false);
        }

        @Override
        public void onDelete(V1PersistentVolume volume, boolean finalStateUnknown) {
            caches.shown(volume);
        }
    }

    private final class OfClasses implements ResourceEventHandler<V1StorageClass> {
        @Override
        public void onAdd(V1StorageClass storageClass, boolean initial) {
            volumesChanged();
        }

        @Override
        public void onUpdate(V1StorageClass before, V1StorageClass after) {
            if (!Objects.equals(before.getAllowedTopologies(), after.getAllowedTopologies())) {
                volumesChanged();
            }
        }

        @Override
        public void onDelete(V1StorageClass storageClass, boolean finalStateUnknown) {}
    }
}
