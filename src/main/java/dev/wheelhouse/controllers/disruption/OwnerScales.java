package dev.wheelhouse.controllers.disruption;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1ReplicationController;
import io.kubernetes.client.openapi.models.V1Scale;
import io.kubernetes.client.openapi.models.V1StatefulSet;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.ScaleClient;
import dev.wheelhouse.informer.SharedIndexInformer;

/**
 * Determines how many pods the controllers of pods want (upstream: {@code getExpectedScale} in {@code disruption.go}).
 * The caches have ReplicaSets and their Deployments, StatefulSets and ReplicationControllers. The API server is asked
 * for the scale of controllers of other kinds, and of those that the caches do not have.
 */
record OwnerScales(SharedIndexInformer<V1ReplicaSet> replicaSets, SharedIndexInformer<V1Deployment> deployments,
        SharedIndexInformer<V1StatefulSet> statefulSets, SharedIndexInformer<V1ReplicationController> controllers,
        ScaleClient scales) {
    private static final Set<String> APPS = Set.of("apps", "extensions");

    DisruptionView.Scale of(List<V1Pod> pods) {
        Set<String> seen = new HashSet<>();
        Map<String, Integer> byOwner = new HashMap<>();
        List<String> unmanaged = new ArrayList<>();
        for (V1Pod pod : pods) {
            V1OwnerReference reference = OwnerReferences.controllerOf(pod.getMetadata());
            if (reference == null) {
                unmanaged.add(String.valueOf(pod.getMetadata().getName()));
            } else if (seen.add(reference.getUid())) {
                String namespace = String.valueOf(pod.getMetadata().getNamespace());
                Owner owner;
                try {
                    owner = cached(namespace, reference);
                    owner = owner == null ? live(namespace, reference) : owner;
                } catch (KubeApiException e) {
                    return new DisruptionView.Scale(0, unmanaged, e.statusMessage());
                }
                if (owner == null) {
                    return new DisruptionView.Scale(0, unmanaged,
                            "found no controllers for pod \"" + pod.getMetadata().getName() + "\"");
                }
                byOwner.put(owner.uid, owner.replicas);
            }
        }
        return new DisruptionView.Scale(byOwner.values().stream().mapToInt(Integer::intValue).sum(), unmanaged, null);
    }

    private record Owner(String uid, int replicas) {
        /** Null for no owner. */
        static <T extends KubernetesObject> @Nullable Owner of(@Nullable T owner,
                Function<T, @Nullable Integer> replicas) {
            if (owner == null) {
                return null;
            }
            Integer count = replicas.apply(owner);
            return new Owner(String.valueOf(owner.getMetadata().getUid()), count == null ? 1 : count);
        }
    }

    private @Nullable Owner cached(String namespace, V1OwnerReference reference) {
        switch (reference.getKind()) {
            case "ReplicaSet" -> {
                V1ReplicaSet set = found(replicaSets, namespace, reference, APPS);
                V1OwnerReference above = set == null ? null : OwnerReferences.controllerOf(set.getMetadata());
                if (set == null || above == null || !above.getKind().equals("Deployment")) {
                    return Owner.of(set, of -> of.getSpec().getReplicas());
                }
                V1Deployment deployment = found(deployments, namespace, above, APPS);
                return Owner.of(deployment, of -> of.getSpec().getReplicas());
            }
            case "StatefulSet" -> {
                V1StatefulSet set = found(statefulSets, namespace, reference, Set.of("apps"));
                return Owner.of(set, of -> of.getSpec().getReplicas());
            }
            case "ReplicationController" -> {
                V1ReplicationController controller = found(controllers, namespace, reference, Set.of(""));
                return Owner.of(controller, of -> of.getSpec().getReplicas());
            }
            default -> {
                return null;
            }
        }
    }

    /**
     * The owner by its scale subresource; null if there is no such object.
     *
     * @throws KubeApiException if the kind does not exist or has no scale, or a read fails
     */
    private @Nullable Owner live(String namespace, V1OwnerReference reference) {
        ResourceType type = type(reference);
        try {
            V1Scale scale = scales.get(reference.getApiVersion(), reference.getKind(),
                    ObjectKey.of(namespace, reference.getName())).scale();
            String uid = String.valueOf(scale.getMetadata().getUid());
            return uid.equals(reference.getUid()) ? Owner.of(scale, of -> of.getSpec().getReplicas()) : null;
        } catch (KubeApiException e) {
            if (e.isNotFound() && hasScale(type)) {
                return null;
            }
            throw e.isNotFound() ? unknown(type.groupResource() + " does not implement the scale subresource") : e;
        }
    }

    private ResourceType type(V1OwnerReference reference) {
        try {
            return scales.mapper().of(reference.getApiVersion(), reference.getKind());
        } catch (KubeApiException e) {
            throw e.isNotFound()
                    ? unknown("no matches for kind \"" + reference.getKind() + "\" in version \""
                            + reference.getApiVersion() + "\"")
                    : e;
        }
    }

    private static KubeApiException unknown(String why) {
        return new KubeApiException("read the scale of the controller of a pod", 404, "NotFound", why, null);
    }

    private boolean hasScale(ResourceType type) {
        String path = (type.group().isEmpty() ? "/api/" : "/apis/") + type.apiVersion();
        return scales.client().read(path, Map.of()).path("resources").valueStream()
                .anyMatch(resource -> resource.path("name").asString("").equals(type.plural() + "/scale"));
    }

    /** The owner that a reference names, if its kind belongs to one of these groups. */
    private static <T extends KubernetesObject> @Nullable T found(SharedIndexInformer<T> cache, String namespace,
            V1OwnerReference reference, Set<String> groups) {
        String version = reference.getApiVersion();
        if (!groups.contains(version.substring(0, Math.max(0, version.indexOf('/'))))) {
            return null;
        }
        T owner = cache.get(ObjectKey.of(namespace, reference.getName()));
        return owner != null && Objects.equals(owner.getMetadata().getUid(), reference.getUid()) ? owner : null;
    }
}
