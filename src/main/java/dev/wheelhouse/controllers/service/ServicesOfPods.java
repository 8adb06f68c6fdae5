package dev.wheelhouse.controllers.service;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodIP;
import io.kubernetes.client.openapi.models.V1Service;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.controller.Change;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.informer.SharedIndexInformer;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Names the Services that a change of a pod concerns (upstream: {@code GetPodUpdateProjectionKey} and
 * {@code GetServicesToUpdate} in {@code staging/src/k8s.io/endpointslice/util/controller_utils.go}). The pods of the
 * initial list concern nobody, because each Service is synced after all caches have synced.
 */
record ServicesOfPods(SharedIndexInformer<V1Service> services) {
    Stream<ObjectKey> keys(Change<V1Pod> change) {
        V1Pod before = change.before();
        if (change.initial()) {
            return Stream.empty();
        }
        Set<ObjectKey> now = of(change.object());
        if (before == null || change.isDeletion()) {
            return now.stream();
        }
        boolean podChanged = hasChanged(before, change.object());
        if (!change.alters(pod -> pod.getMetadata().getLabels())) {
            return podChanged ? now.stream() : Stream.empty();
        }
        Set<ObjectKey> then = of(before);
        return Stream.concat(now.stream().filter(service -> podChanged || !then.contains(service)),
                then.stream().filter(service -> !now.contains(service)));
    }

    private Set<ObjectKey> of(V1Pod pod) {
        Map<String, String> labels = pod.getMetadata().getLabels();
        return services.getIndexer().list(String.valueOf(pod.getMetadata().getNamespace())).stream()
                .filter(service -> ServicePods.selects(service, labels)).map(ObjectKey::of)
                .collect(Collectors.toSet());
    }

    /** Whether an endpoint of the pod may have changed. Each change of a terminating pod counts, as upstream. */
    private static boolean hasChanged(V1Pod before, V1Pod after) {
        return Pods.isDeleting(before) || Pods.isDeleting(after) || Pods.isReady(before) != Pods.isReady(after)
                || !ips(before).equals(ips(after));
    }

    private static List<V1PodIP> ips(V1Pod pod) {
        return pod.getStatus() == null ? List.of() : orEmpty(pod.getStatus().getPodIPs());
    }
}
