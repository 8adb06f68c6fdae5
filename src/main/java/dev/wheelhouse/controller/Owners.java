package dev.wheelhouse.controller;

import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.informer.SharedIndexInformer;

/**
 * The cached objects of one type as owners of others, such as of pods (upstream: {@code addPod}, {@code updatePod} and
 * {@code deletePod} of the workload controllers, such as {@code pkg/controller/replicaset/replica_set.go}).
 *
 * @param get returns the owner with a key; null if the cache has none
 * @param list returns the owners in a namespace
 * @param selector returns the selector of the objects that an owner adopts; null if it adopts none
 */
public record Owners<T extends KubernetesObject>(ResourceType type, Function<ObjectKey, @Nullable T> get,
        Function<String, List<T>> list, Function<T, @Nullable V1LabelSelector> selector) {
    /** The objects of an informer's cache. */
    public static <T extends KubernetesObject> Owners<T> in(SharedIndexInformer<T> cache,
            Function<T, @Nullable V1LabelSelector> selector) {
        return new Owners<>(cache.type(), cache::get, cache.getIndexer()::list, selector);
    }

    /** The keys of {@link #concernedBy}. */
    public Stream<ObjectKey> keys(Change<? extends KubernetesObject> change) {
        return concernedBy(change).map(ObjectKey::of);
    }

    /**
     * The owners of a changed object: its controller and its former one. An object without a controller that appears or
     * gets other labels concerns every owner that could adopt it. A resync concerns nobody.
     */
    public Stream<T> concernedBy(Change<? extends KubernetesObject> change) {
        if (change.isResync()) {
            return Stream.empty();
        }
        KubernetesObject object = change.object();
        boolean moved = change.alters(state -> OwnerReferences.controllerOf(state.getMetadata()));
        if (OwnerReferences.controllerOf(object.getMetadata()) == null && !change.isEnding()
                && (moved || change.isAddition() || change.alters(state -> state.getMetadata().getLabels()))) {
            return Stream.concat(former(change, moved),
                    list.apply(object.getMetadata().getNamespace()).stream().filter(owner -> selects(owner, object)));
        }
        return Stream.concat(former(change, moved), Stream.ofNullable(controllerOf(object)));
    }

    private Stream<T> former(Change<? extends KubernetesObject> change, boolean moved) {
        KubernetesObject before = change.before();
        return moved && before != null ? Stream.ofNullable(controllerOf(before)) : Stream.empty();
    }

    /** The controller that an object refers to; null if the cache has none of that name and UID. */
    public @Nullable T controllerOf(KubernetesObject object) {
        V1OwnerReference reference = OwnerReferences.controllerOf(object.getMetadata());
        if (reference == null || !type.kind().equals(reference.getKind())) {
            return null;
        }
        T owner = get.apply(ObjectKey.of(object.getMetadata().getNamespace(), reference.getName()));
        return owner != null && Objects.equals(owner.getMetadata().getUid(), reference.getUid()) ? owner : null;
    }

    private boolean selects(T owner, KubernetesObject object) {
        try {
            V1LabelSelector labels = selector.apply(owner);
            LabelSelector matcher = LabelSelector.of(labels);
            return labels != null && !matcher.isEverything() && matcher.matches(object.getMetadata().getLabels());
        } catch (IllegalArgumentException invalid) {
            return false;
        }
    }
}
