package dev.wheelhouse.testing;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;


import com.google.errorprone.annotations.CanIgnoreReturnValue;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.operator.ResourceTypes;
import dev.wheelhouse.runtime.SafeYaml;

/**
 * Somebody who works with the test's API server, as with kubectl. A class is one of the official client, such as
 * {@code V1Deployment}, or one's own with {@link dev.wheelhouse.operator.ResourceDefinition}. The namespace of an
 * object without one is {@code default}; the namespace of a cluster-scoped object is the empty text. A request that the
 * server refuses throws {@link ApiError}. Thread safe.
 */
public final class User {
    private static final String DEFAULT = "default";

    private final KubeClient client;

    User(KubeClient client) {
        this.client = client;
    }

    private <T extends KubernetesObject> ResourceClient<T> resource(Class<T> type) {
        return client.resource(ResourceTypes.of(type), type);
    }

    /** @return the object as stored */
    @CanIgnoreReturnValue
    public <T extends KubernetesObject> T create(T object) {
        @SuppressWarnings("unchecked") // The class of an object of type T.
        Class<T> type = (Class<T>) object.getClass();
        return create(ResourceTypes.of(type), type, object);
    }

    private <T extends KubernetesObject> T create(ResourceType type, Class<T> model, T object) {
        T copy = ModelJson.copy(object);
        if (type.namespaced() && copy.getMetadata().getNamespace() == null) {
            copy.getMetadata().setNamespace(DEFAULT);
        }
        return client.resource(type, model).create(copy);
    }

    /**
     * Creates the objects of a YAML text, which may have several documents.
     * @throws IllegalArgumentException if the server does not serve an object's kind; the message names the kind
     */
    public void create(String yaml) {
        for (Iterator<SafeYaml.Document> each = SafeYaml.documents(yaml.getBytes(StandardCharsets.UTF_8)); each
                .hasNext();) {
            Object document = each.next().value();
            if (document != null) {
                Unstructured object = ModelJson.read(ModelJson.tree(document), Unstructured.class);
                create(served(object), Unstructured.class, object);
            }
        }
    }

    private ResourceType served(Unstructured object) {
        KubeClient.Discovered served = client.discover();
        List<ResourceType> types = new ArrayList<>(served.types());
        types.addAll(served.otherVersions());
        return types.stream()
                .filter(type -> type.kind().equals(object.getKind())
                        && type.apiVersion().equals(object.getApiVersion()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("the test's API server does not serve the kind "
                        + object.getKind() + " of " + object.getApiVersion()
                        + ": create its CustomResourceDefinition first"));
    }

    /** Reads an object. */
    public <T extends KubernetesObject> T get(Class<T> type, String namespace, String name) {
        return resource(type).get(ObjectKey.of(namespace, name));
    }

    /** Reads an object that may not exist. */
    public <T extends KubernetesObject> Optional<T> find(Class<T> type, String namespace, String name) {
        return resource(type).find(ObjectKey.of(namespace, name));
    }

    /** All objects of a type, sorted by namespace and name. */
    public <T extends KubernetesObject> List<T> all(Class<T> type) {
        return resource(type).list("", LabelSelector.everything(), FieldSelector.everything(),
                ListOptions.consistent(0)).items().stream().sorted(Comparator.comparing(ObjectKey::of)).toList();
    }

    /**
     * Changes an object, except for its status: reads it, calls the change, and writes it back.
     * @return the object as stored
     */
    @CanIgnoreReturnValue
    public <T extends KubernetesObject> T edit(Class<T> type, String namespace, String name, Consumer<T> change) {
        return change(type, namespace, name, change, resource(type)::update);
    }

    /** Changes the status of an object. @return the object as stored */
    @CanIgnoreReturnValue
    public <T extends KubernetesObject> T editStatus(Class<T> type, String namespace, String name,
            Consumer<T> change) {
        return change(type, namespace, name, change, resource(type)::updateStatus);
    }

    private <T extends KubernetesObject> T change(Class<T> type, String namespace, String name, Consumer<T> change,
            UnaryOperator<T> write) {
        T object = get(type, namespace, name);
        change.accept(object);
        return write.apply(object);
    }

    /** Deletes an object and, in the background, what it owns. Finalizers may delay it. */
    public <T extends KubernetesObject> void delete(Class<T> type, String namespace, String name) {
        resource(type).delete(ObjectKey.of(namespace, name), Deletion.unconditional());
    }

    void delete(ResourceType type, ObjectKey key) {
        client.metadata(type).delete(key, Deletion.unconditional());
    }
}
