package dev.wheelhouse.testing;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.google.errorprone.annotations.CanIgnoreReturnValue;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Scale;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.operator.ResourceTypes;
import dev.wheelhouse.runtime.SafeYaml;

/**
 * Somebody who works with the test's API server, as with kubectl. A class is one of the official client, such as
 * {@code V1Deployment}, or one's own with {@link dev.wheelhouse.operator.ResourceDefinition}. The namespace of an
 * object without one is {@code default}; the namespace of a cluster-scoped object is the empty text. A request that the
 * server refuses throws {@link KubeApiException}. Thread safe.
 */
public final class User {
    private static final String DEFAULT = "default";
    /** The field manager of {@link #apply}. */
    private static final String MANAGER = "user";

    private static final Duration DELETED = Duration.ofMinutes(1);

    private final KubeClient client;
    /** The objects that were created, in order. */
    private final Set<Made> made = Collections.synchronizedSet(new LinkedHashSet<>());

    private record Made(ResourceType type, ObjectKey key) {}

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
        return made(type, client.resource(type, model).create(copy));
    }

    private <T extends KubernetesObject> T made(ResourceType type, T object) {
        made.add(new Made(type, ObjectKey.of(object)));
        return object;
    }

    /** Creates an object, or applies it if a cluster has it already. Such an object stays at the end. */
    <T extends KubernetesObject> void make(T object) {
        try {
            create(object);
        } catch (KubeApiException e) {
            if (!e.isAlreadyExists()) {
                throw e;
            }
            apply(object);
        }
    }

    /** Deletes all that was created, the last object first, and waits until it is gone. */
    void deleteAll() {
        for (Made each : new ArrayList<>(made).reversed()) {
            ResourceClient<PartialObjectMetadata> objects = client.metadata(each.type);
            try {
                objects.delete(each.key, Deletion.unconditional());
            } catch (KubeApiException e) {
                if (!e.isNotFound()) {
                    throw e;
                }
            }
            Eventually.eventually(each.type + " " + each.key + " is gone", DELETED,
                    () -> objects.find(each.key).isEmpty());
        }
        made.clear();
    }

    /**
     * Creates the objects of a YAML text as {@code kubectl create} does: of each document and of each item of a list.
     * They are sent as they are written, so the server refuses a number or a boolean where text should be.
     *
     * @throws IllegalArgumentException if the text is not YAML, a document is not an object, or the server does not
     *     serve an object's kind; the message names the line or the kind
     */
    public void create(String yaml) {
        each(yaml, (type, object) -> made(type, client.resource(type, AsWritten.class).create(object)));
    }

    /**
     * Applies the objects of a YAML text as {@code kubectl apply --server-side --force-conflicts} does: fields that
     * were applied before and are not in the text any more are removed.
     *
     * @throws IllegalArgumentException as {@link #create(String)}
     */
    public void apply(String yaml) {
        each(yaml, (type, object) -> client.resource(type, AsWritten.class)
                .apply(ObjectKey.of(object), "", MANAGER, true, ModelJson.write(object)));
    }

    /** Sends each object of a YAML text. */
    private void each(String yaml, BiConsumer<ResourceType, AsWritten> send) {
        for (Iterator<SafeYaml.Document> each = SafeYaml.documents(yaml.getBytes(StandardCharsets.UTF_8)); each
                .hasNext();) {
            SafeYaml.Document document = each.next();
            if (document.value() instanceof Map<?, ?>) {
                each((ObjectNode) ModelJson.tree(document.value()), send);
            } else if (document.value() != null) {
                throw new IllegalArgumentException("line " + document.line(List.of())
                        + ": an object should be here: write apiVersion, kind and metadata");
            }
        }
    }

    private void each(ObjectNode object, BiConsumer<ResourceType, AsWritten> send) {
        String kind = object.path("kind").asString("");
        if (object.path("items").isArray()) {
            for (JsonNode item : object.path("items")) {
                if (!(item instanceof ObjectNode each)) {
                    throw new IllegalArgumentException("an item of a " + kind + " is not an object: " + item);
                }
                if (kind.endsWith("List") && !kind.equals("List") && !each.has("kind")) {
                    each.put("kind", kind.substring(0, kind.length() - "List".length()));
                    each.set("apiVersion", object.path("apiVersion"));
                }
                each(each, send);
            }
            return;
        }
        ResourceType type = served(kind, object.path("apiVersion").asString(""));
        JsonNode metadata = object.path("metadata");
        if (type.namespaced() && metadata.isObject() && metadata.path("namespace").asString("").isEmpty()) {
            ((ObjectNode) metadata).put("namespace", DEFAULT);
        }
        send.accept(type, new AsWritten(object));
    }

    private ResourceType served(String kind, String apiVersion) {
        KubeClient.Discovered served = client.discover();
        List<ResourceType> types = new ArrayList<>(served.types());
        types.addAll(served.otherVersions());
        return types.stream().filter(type -> type.kind().equals(kind) && type.apiVersion().equals(apiVersion))
                .findFirst()
                .orElseThrow(
                        () -> new IllegalArgumentException("the test's API server does not serve the kind \"" + kind
                                + "\" of \"" + apiVersion + "\": create its CustomResourceDefinition first"));
    }

    /** An object that is sent as it was written. Its metadata is what an error names it by. */
    private static final class AsWritten implements KubernetesObject {
        private final ObjectNode tree;

        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        AsWritten(ObjectNode tree) {
            this.tree = tree;
        }

        @JsonValue
        ObjectNode tree() {
            return tree;
        }

        @Override
        public String getApiVersion() {
            return tree.path("apiVersion").asString("");
        }

        @Override
        public String getKind() {
            return tree.path("kind").asString("");
        }

        @Override
        public V1ObjectMeta getMetadata() {
            JsonNode metadata = tree.path("metadata");
            return new V1ObjectMeta().name(metadata.path("name").asString(null))
                    .generateName(metadata.path("generateName").asString(null))
                    .namespace(metadata.path("namespace").asString(null));
        }
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
        return all(type, "");
    }

    /** The objects of a type in one namespace, sorted by name. */
    public <T extends KubernetesObject> List<T> all(Class<T> type, String namespace) {
        return resource(type).list(namespace, LabelSelector.everything(), FieldSelector.everything(),
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

    /**
     * Applies an object as {@code kubectl apply --server-side --force-conflicts} does.
     *
     * @return the object as stored
     */
    @CanIgnoreReturnValue
    public <T extends KubernetesObject> T apply(T object) {
        @SuppressWarnings("unchecked") // The class of an object of type T.
        Class<T> type = (Class<T>) object.getClass();
        ResourceType resource = ResourceTypes.of(type);
        ObjectNode tree = (ObjectNode) ModelJson.tree(object);
        tree.put("apiVersion", resource.apiVersion()).put("kind", resource.kind());
        String namespace = object.getMetadata().getNamespace();
        ObjectKey key = ObjectKey.of(!resource.namespaced() ? "" : namespace == null ? DEFAULT : namespace,
                object.getMetadata().getName());
        return client.resource(resource, type).apply(key, "", MANAGER, true, tree.toString());
    }

    /**
     * Changes an object by a JSON merge patch, such as {@code {"spec": {"paused": true}}}.
     *
     * @return the object as stored
     */
    @CanIgnoreReturnValue
    public <T extends KubernetesObject> T patch(Class<T> type, String namespace, String name, String merge) {
        return resource(type).patch(ObjectKey.of(namespace, name), "", PatchType.MERGE, merge);
    }

    /** Sets the replicas of an object by its subresource {@code scale}, as {@code kubectl scale} does. */
    public void scale(Class<? extends KubernetesObject> type, String namespace, String name, int replicas) {
        client.resource(ResourceTypes.of(type), V1Scale.class).patch(ObjectKey.of(namespace, name), "scale",
                PatchType.MERGE, "{\"spec\": {\"replicas\": " + replicas + "}}");
    }

    /** Deletes an object and, in the background, what it owns. Finalizers may delay it. */
    public <T extends KubernetesObject> void delete(Class<T> type, String namespace, String name) {
        resource(type).delete(ObjectKey.of(namespace, name), Deletion.unconditional());
    }

    void delete(ResourceType type, ObjectKey key) {
        client.metadata(type).delete(key, Deletion.unconditional());
    }
}
