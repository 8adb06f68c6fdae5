package dev.wheelhouse.controllers.service;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodIP;
import io.kubernetes.client.openapi.models.V1Service;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;

/**
 * Names the Services that a change of a pod concerns (upstream: {@code GetPodUpdateProjectionKey} and
 * {@code GetServicesToUpdate} in {@code staging/src/k8s.io/endpointslice/util/controller_utils.go}). The pods of the
 * initial list concern nobody, because each Service is synced after all caches have synced.
 */
final class ServicesOfPods implements ResourceEventHandler<V1Pod> {
    private final SharedIndexInformer<V1Service> services;
    private final Consumer<ObjectKey> wake;

    /** @param wake called for each Service */
    ServicesOfPods(SharedIndexInformer<V1Service> services, Consumer<ObjectKey> wake) {
        this.services = services;
        this.wake = wake;
    }

    @Override
    public void onAdd(V1Pod pod, boolean initial) {
        if (!initial) {
            of(pod).forEach(wake);
        }
    }

    @Override
    public void onUpdate(V1Pod before, V1Pod after) {
        boolean podChanged = hasChanged(before, after);
        if (Objects.equals(before.getMetadata().getLabels(), after.getMetadata().getLabels())) {
            if (podChanged) {
                of(after).forEach(wake);
            }
            return;
        }
        Set<ObjectKey> then = of(before);
        Set<ObjectKey> now = of(after);
        Set<ObjectKey> concerned = new HashSet<>(then);
        concerned.addAll(now);
        if (!podChanged) {
            concerned.removeIf(service -> then.contains(service) && now.contains(service));
        }
        concerned.forEach(wake);
    }

    @Override
    public void onDelete(V1Pod pod, boolean finalStateUnknown) {
        of(pod).forEach(wake);
    }

    private Set<ObjectKey> of(V1Pod pod) {
        Map<String, String> labels = pod.getMetadata().getLabels();
        Set<ObjectKey> keys = new HashSet<>();
        for (V1Service service : services.getIndexer().list(String.valueOf(pod.getMetadata().getNamespace()))) {
            if (ServicePods.selects(service, labels)) {
                keys.add(ObjectKey.of(service));
            }
        }
        return keys;
    }

    /** Whether an endpoint of the pod may have changed. Each change of a terminating pod counts, as upstream. */
    private static boolean hasChanged(V1Pod before, V1Pod after) {
        return Pods.isDeleting(before) || Pods.isDeleting(after) || Pods.isReady(before) != Pods.isReady(after)
                || !ips(before).equals(ips(after));
    }

    private static List<V1PodIP> ips(V1Pod pod) {
        @Nullable
        List<V1PodIP> ips = pod.getStatus() == null ? null : pod.getStatus().getPodIPs();
        return ips == null ? List.of() : ips;
    }
}
