package dev.wheelhouse.controllers.replicaset;

import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.OwnedObjects;
import dev.wheelhouse.controllers.pods.PodOwners;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;

/**
 * The sets that the controller creates pods for, in the form of ReplicaSets. ReplicationControllers are converted on
 * reading and writing, as in upstream, so that one controller serves both types.
 *
 * @param <S> the class of the sets in the cache
 */
final class PodSets<S extends KubernetesObject> implements PodOwners<V1ReplicaSet> {
    private final SharedIndexInformer<S> cache;
    private final Function<S, V1ReplicaSet> form;
    private final OwnedObjects<S> owned;

    /** @param form converts a set to a ReplicaSet */
    PodSets(SharedIndexInformer<S> cache, Function<S, V1ReplicaSet> form) {
        this.cache = cache;
        this.form = form;
        this.owned = new OwnedObjects<>(cache);
    }

    @Override
    public ResourceType type() {
        return cache.type();
    }

    @Override
    public @Nullable V1ReplicaSet get(ObjectKey key) {
        S found = cache.get(key);
        return found == null ? null : form.apply(found);
    }

    @Override
    public List<V1ReplicaSet> list(String namespace) {
        return cache.getIndexer().list(namespace).stream().map(form).toList();
    }

    @Override
    public @Nullable V1LabelSelector selector(V1ReplicaSet set) {
        return set.getSpec().getSelector();
    }

    /** The sets that the owner with this UID controls. */
    List<V1ReplicaSet> controlledBy(String ownerUid) {
        return owned.controlledBy(ownerUid).stream().map(form).toList();
    }

    void addEventHandler(ResourceEventHandler<V1ReplicaSet> handler) {
        cache.addEventHandler(new ResourceEventHandler<>() {
            @Override
            public void onAdd(S set, boolean initial) {
                handler.onAdd(form.apply(set), initial);
            }

            @Override
            public void onUpdate(S before, S after) {
                handler.onUpdate(form.apply(before), form.apply(after));
            }

            @Override
            public void onDelete(S set, boolean finalStateUnknown) {
                handler.onDelete(form.apply(set), finalStateUnknown);
            }
        });
    }
}
