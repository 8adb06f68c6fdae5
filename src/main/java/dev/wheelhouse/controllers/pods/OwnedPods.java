package dev.wheelhouse.controllers.pods;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.informer.SharedIndexInformer;

/**
 * The pod cache, indexed by controller. All controllers share the index (upstream: {@code AddPodControllerIndexer} in
 * {@code pkg/controller/controller_utils.go}). Thread safe.
 */
public final class OwnedPods {
    private static final String INDEX = "pod-controller";
    /** One object, so that all controllers add the same index. */
    private static final Function<V1Pod, Collection<String>> VALUES = pod -> {
        V1OwnerReference reference = OwnerReferences.controllerOf(pod.getMetadata());
        return List.of(reference == null ? orphansOf(pod.getMetadata().getNamespace()) : reference.getUid());
    };

    private final SharedIndexInformer<V1Pod> cache;

    /** Adds the index to the cache, if no other controller has added it. */
    public OwnedPods(SharedIndexInformer<V1Pod> cache) {
        this.cache = cache;
        cache.getIndexer().addIndex(INDEX, VALUES);
    }

    /** The value of pods without a controller. No UID contains a slash. */
    private static String orphansOf(String namespace) {
        return "orphans/" + namespace;
    }

    /** The pods that refer to this owner as their controller. */
    public List<V1Pod> controlledBy(V1ObjectMeta owner) {
        return cache.getIndexer().byIndex(INDEX, owner.getUid());
    }

    /** The pods that an owner controls, and the pods of its namespace without a controller. */
    public List<V1Pod> candidates(V1ObjectMeta owner) {
        List<V1Pod> pods = new ArrayList<>(controlledBy(owner));
        pods.addAll(cache.getIndexer().byIndex(INDEX, orphansOf(owner.getNamespace())));
        return pods;
    }

    /** The number of active pods of these owners, by node. */
    public Map<String, Integer> activePerNode(List<? extends KubernetesObject> owners) {
        Map<String, Integer> perNode = new HashMap<>();
        for (KubernetesObject owner : owners) {
            for (V1Pod pod : controlledBy(owner.getMetadata())) {
                if (Pods.isActive(pod)) {
                    perNode.merge(Pods.node(pod), 1, Integer::sum);
                }
            }
        }
        return perNode;
    }
}
