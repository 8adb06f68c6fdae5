package dev.wheelhouse.operator;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.ModelJson;

/** The objects that a test gives to {@link DecidingOperator#decide}. */
record GivenObjects(List<? extends KubernetesObject> objects, List<External.Given<?>> values) implements Related {
    @Override
    public <T extends KubernetesObject> List<T> all(Class<T> type) {
        return objects.stream().filter(type::isInstance).map(type::cast).sorted(Comparator.comparing(ObjectKey::of))
                .map(ModelJson::copy).toList();
    }

    @Override
    public <T extends KubernetesObject> Optional<T> named(Class<T> type, String name) {
        return all(type).stream().filter(object -> name.equals(object.getMetadata().getName())).findFirst();
    }

    @Override
    public List<Unstructured> all(ResourceType type) {
        return all(Unstructured.class).stream().filter(object -> isOf(type, object)).toList();
    }

    @Override
    public List<PartialObjectMetadata> metadata(ResourceType type) {
        return all(PartialObjectMetadata.class).stream().filter(object -> isOf(type, object)).toList();
    }

    @Override
    @SuppressWarnings("unchecked") // A given value has the class of its handle.
    public <T> Optional<T> external(External<T> external) {
        return values.stream().filter(given -> given.external() == external).map(given -> (T) given.value())
                .findFirst();
    }

    @Override
    public Optional<Instant> externalAsOf(External<?> external) {
        return external(external).map(given -> Instant.EPOCH);
    }

    @Override
    public Related view() {
        return this;
    }

    private static boolean isOf(ResourceType type, KubernetesObject object) {
        return type.apiVersion().equals(object.getApiVersion()) && type.kind().equals(object.getKind());
    }
}
