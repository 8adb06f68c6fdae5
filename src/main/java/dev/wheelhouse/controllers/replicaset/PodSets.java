package dev.wheelhouse.controllers.replicaset;

import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.OwnedObjects;
import dev.wheelhouse.controller.Owners;
import dev.wheelhouse.informer.SharedIndexInformer;

/**
 * The sets that the controller creates pods for, in the form of ReplicaSets. ReplicationControllers are converted on
 * reading and writing, as in upstream, so that one controller serves both types.
 *
 * @param <S> the class of the sets in the cache
 */
final class PodSets<S extends KubernetesObject> {
    private final SharedIndexInformer<S> cache;
    private final Function<S, V1ReplicaSet> asReplicaSet;
    private final OwnedObjects<S> owned;

    /** @param asReplicaSet converts a set to a ReplicaSet */
    PodSets(SharedIndexInformer<S> cache, Function<S, V1ReplicaSet> asReplicaSet) {
        this.cache = cache;
        this.asReplicaSet = asReplicaSet;
        this.owned = new OwnedObjects<>(cache);
    }

    ResourceType type() {
        return cache.type();
    }

    @Nullable
    V1ReplicaSet get(ObjectKey key) {
        S found = cache.get(key);
        return found == null ? null : asReplicaSet.apply(found);
    }

    SharedIndexInformer<S> cache() {
        return cache;
    }

    Owners<V1ReplicaSet> owners() {
        return new Owners<>(type(), this::get,
                namespace -> cache.getIndexer().list(namespace).stream().map(asReplicaSet).toList(),
                set -> set.getSpec().getSelector());
    }

    /** The sets that the owner with this UID controls. */
    List<V1ReplicaSet> controlledBy(String ownerUid) {
        return owned.controlledBy(ownerUid).stream().map(asReplicaSet).toList();
    }
}
