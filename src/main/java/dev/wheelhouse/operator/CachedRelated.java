package dev.wheelhouse.operator;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.operator.Declaration.Part;

/**
 * The objects in an operator's caches that belong to one primary object. Each is copied when it is asked for, unless it
 * is only viewed.
 *
 * @param copies whether objects are copied, and read if only their metadata is cached
 * @param viewed called before objects are handed out that are no copies
 */
record CachedRelated(Caches<?> caches, ExternalValues<?> values, KubernetesObject primary, boolean copies,
        Runnable viewed) implements Related {
    @Override
    public Related view() {
        viewed.run();
        return new CachedRelated(caches, values, primary, false, viewed);
    }

    @Override
    public <T extends KubernetesObject> List<T> all(Class<T> type) {
        return related(caches.parts(type));
    }

    @Override
    public List<Unstructured> all(ResourceType type) {
        return related(caches.parts(type));
    }

    @Override
    public List<PartialObjectMetadata> metadata(ResourceType type) {
        return related(caches.metadata(type));
    }

    @Override
    @SuppressWarnings("unchecked") // Only values of this class are put under the handle.
    public <T> Optional<T> external(External<T> external) {
        return Optional.ofNullable((T) values.value(external, primary));
    }

    @Override
    public Optional<Instant> externalAsOf(External<?> external) {
        return Optional.ofNullable(values.asOf(external, primary));
    }

    private <T extends KubernetesObject> List<T> related(List<Part<T>> parts) {
        List<T> related = caches.related(parts, primary, copies);
        return copies ? related.stream().map(ModelJson::copy).toList() : related;
    }

    @Override
    public <T extends KubernetesObject> Optional<T> named(Class<T> type, String name) {
        List<Part<T>> parts = caches.parts(type);
        String namespace = parts.getFirst().type().namespaced() ? primary.getMetadata().getNamespace() : null;
        ObjectKey key = new ObjectKey(namespace == null ? "" : namespace, name);
        return caches.related(parts, primary, false).stream().filter(object -> ObjectKey.of(object).equals(key))
                .findFirst().flatMap(object -> copies
                        ? caches.reader().get(type, key).map(ModelJson::copy)
                        : Optional.of(object));
    }
}
