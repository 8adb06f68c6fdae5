package dev.wheelhouse.console;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.health.Assessment.Item;
import dev.wheelhouse.informer.InformerState;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.informer.SharedInformerFactory;

/** The objects in the caches that hold all objects of a type. Nothing is read from the API server. Thread safe. */
record CachedObjects(SharedInformerFactory informers) {

    /** One synced cache of each type, of whole objects if there is one. */
    private Map<ResourceType, SharedIndexInformer<?>> caches() {
        Map<ResourceType, SharedIndexInformer<?>> caches = new LinkedHashMap<>();
        for (SharedIndexInformer<?> informer : informers.informers()) {
            InformerState state = informer.state();
            if (state.synced() && state.namespace().isEmpty() && state.selector().isEmpty()) {
                caches.putIfAbsent(informer.type(), informer);
            }
        }
        return caches;
    }

    /** The types with a cache, and the number of their objects. */
    Map<ResourceType, Integer> types() {
        Map<ResourceType, Integer> types = new LinkedHashMap<>();
        caches().forEach((type, informer) -> types.put(type, informer.getIndexer().size()));
        return types;
    }

    /** All objects. */
    List<Item> all() {
        List<Item> all = new ArrayList<>();
        caches().forEach((type, cache) -> objects(cache, "").forEach(object -> all.add(new Item(type, object))));
        return all;
    }

    /** The cached type with a name such as {@code deployments.apps}; null if there is none. */
    @Nullable
    ResourceType type(String groupResource) {
        return caches().keySet().stream().filter(type -> type.groupResource().equals(groupResource)).findFirst()
                .orElse(null);
    }

    /** @throws IllegalArgumentException if no cache has the type */
    ResourceType known(String groupResource) {
        ResourceType type = type(groupResource);
        if (type == null) {
            throw new IllegalArgumentException("this process has no cache of \"" + groupResource + "\"");
        }
        return type;
    }

    @Nullable
    Item get(ResourceType type, ObjectKey key) {
        SharedIndexInformer<?> cache = caches().get(type);
        return cache != null && cache.get(key) instanceof KubernetesObject object ? new Item(type, object) : null;
    }

    /** @param namespace empty for all */
    List<KubernetesObject> list(ResourceType type, String namespace) {
        SharedIndexInformer<?> cache = caches().get(type);
        return cache == null ? List.of() : objects(cache, namespace);
    }

    private static List<KubernetesObject> objects(SharedIndexInformer<?> cache, String namespace) {
        return cache.getIndexer().list(namespace).stream().map(KubernetesObject.class::cast).toList();
    }

    /** The number of pods by the name of their node; empty if no cache has the pods. */
    Map<String, Integer> podsByNode() {
        Map<String, Integer> pods = new HashMap<>();
        for (KubernetesObject object : list(ResourceType.PODS, "")) {
            if (object instanceof V1Pod pod && pod.getSpec() != null && pod.getSpec().getNodeName() != null) {
                pods.merge(pod.getSpec().getNodeName(), 1, Integer::sum);
            }
        }
        return pods;
    }

    /** The owner that a reference means; null if no cache has it. */
    @Nullable
    Item owner(V1OwnerReference reference, String namespace) {
        for (ResourceType type : caches().keySet()) {
            if (type.kind().equals(reference.getKind()) && type.apiVersion().equals(reference.getApiVersion())) {
                Item found = get(type, type.namespaced()
                        ? ObjectKey.of(namespace, reference.getName())
                        : ObjectKey.cluster(reference.getName()));
                return found != null && found.uid().equals(reference.getUid()) ? found : null;
            }
        }
        return null;
    }

    /**
     * The dependents of all owners, by the owner's UID.
     *
     * @param namespace the namespace of the dependents; empty for all
     */
    Map<String, List<Item>> dependents(String namespace) {
        Map<String, List<Item>> byOwner = new HashMap<>();
        caches().forEach((type, cache) -> {
            if (type.namespaced() || namespace.isEmpty()) {
                for (KubernetesObject object : objects(cache, namespace)) {
                    for (V1OwnerReference owner : OwnerReferences.of(object.getMetadata())) {
                        byOwner.computeIfAbsent(String.valueOf(owner.getUid()), uid -> new ArrayList<>())
                                .add(new Item(type, object));
                    }
                }
            }
        });
        return byOwner;
    }
}
