package dev.wheelhouse.controllers.replicaset;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.informer.SharedIndexInformer;

/**
 * The pod cache, indexed by controller (upstream: {@code AddPodControllerIndexer} in
 * {@code pkg/controller/controller_utils.go}).
 */
final class OwnedPods {
    private final String index;
    private final SharedIndexInformer<V1Pod> cache;

    /** @param controller the name of the controller that owns the index; several controllers share the cache */
    OwnedPods(String controller, SharedIndexInformer<V1Pod> cache) {
        this.index = controller + "/pod-controller";
        this.cache = cache;
        cache.getIndexer().addIndex(index, pod -> {
            V1OwnerReference reference = OwnerReferences.controllerOf(pod.getMetadata());
            return List.of(reference == null
                    ? orphansOf(pod.getMetadata().getNamespace())
                    : ownedBy(reference.getUid()));
        });
    }

    private static String orphansOf(String namespace) {
        return "orphans/" + namespace;
    }

    private static String ownedBy(String uid) {
        return "owner/" + uid;
    }

    /** The pods that a set controls, and the pods of its namespace without a controller. */
    List<V1Pod> candidates(V1ObjectMeta set) {
        List<V1Pod> pods = new ArrayList<>(cache.getIndexer().byIndex(index, ownedBy(set.getUid())));
        pods.addAll(cache.getIndexer().byIndex(index, orphansOf(set.getNamespace())));
        return pods;
    }

    /** The number of active pods of these sets, by node. */
    Map<String, Integer> activePerNode(List<V1ReplicaSet> sets) {
        Map<String, Integer> perNode = new HashMap<>();
        for (V1ReplicaSet set : sets) {
            for (V1Pod pod : cache.getIndexer().byIndex(index, ownedBy(set.getMetadata().getUid()))) {
                if (Pods.isActive(pod)) {
                    perNode.merge(Pods.node(pod), 1, Integer::sum);
                }
            }
        }
        return perNode;
    }
}
