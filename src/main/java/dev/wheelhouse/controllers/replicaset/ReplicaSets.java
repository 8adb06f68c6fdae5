package dev.wheelhouse.controllers.replicaset;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ReplicaSet;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;

/** The {@link PodSets} of ReplicaSets. */
final class ReplicaSets implements PodSets {
    private static final String BY_CONTROLLER = "replicaset-controller/controller-uid";

    private final SharedIndexInformer<V1ReplicaSet> cache;

    ReplicaSets(SharedIndexInformer<V1ReplicaSet> cache) {
        this.cache = cache;
        cache.getIndexer().addIndex(BY_CONTROLLER, PodSets::controllerUid);
    }

    @Override
    public ResourceType type() {
        return ResourceType.REPLICA_SETS;
    }

    @Override
    public @Nullable V1ReplicaSet get(ObjectKey key) {
        return cache.get(key);
    }

    @Override
    public List<V1ReplicaSet> list(String namespace) {
        return cache.getIndexer().list(namespace);
    }

    @Override
    public List<V1ReplicaSet> controlledBy(String ownerUid) {
        return cache.getIndexer().byIndex(BY_CONTROLLER, ownerUid);
    }

    @Override
    public void addEventHandler(ResourceEventHandler<V1ReplicaSet> handler) {
        cache.addEventHandler(handler);
    }
}
