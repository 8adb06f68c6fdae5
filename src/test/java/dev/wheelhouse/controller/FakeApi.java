package dev.wheelhouse.controller;

import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.ListerWatcher;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.runtime.Clock;

/**
 * As much of an API server as controllers need in a test: versions and conflicts, UIDs and their preconditions, generated names,
 * generations, graceful deletion of bound pods, and patches of metadata. Objects that go in and out are copies.
 */
public final class FakeApi implements KubeClient {
    /** What happens to a request before or after it is carried out. */
    public interface Fault {
        /** @return the error to answer with instead of carrying the request out, or null */
        @Nullable
        ApiError before(String verb, ResourceType type, ObjectKey key);

        /** @return the error to answer with although the request was carried out, or null */
        default @Nullable ApiError after(String verb, ResourceType type, ObjectKey key) {
            return null;
        }
    }

    /** A change, as a watch would tell it: null before is an add, null after a delete. */
    public record Change(ResourceType type, @Nullable KubernetesObject before, @Nullable KubernetesObject after,
            String resourceVersion) {}

    private final Map<ResourceType, TreeMap<ObjectKey, KubernetesObject>> store = new HashMap<>();
    private final Clock clock;
    private final List<String> requests = new ArrayList<>();
    private final List<BiConsumer<FakeApi, Change>> watchers = new ArrayList<>();
    private long revision = 100;
    private int names;
    private @Nullable Fault fault;
    private UnaryOperator<String> uids = name -> "uid-" + name;

    public FakeApi(Clock clock) {
        this.clock = clock;
    }

    public void fault(@Nullable Fault next) {
        fault = next;
    }

    /** Says which UID an object gets, by its name; the revision is added to it. */
    public void uids(UnaryOperator<String> byName) {
        uids = byName;
    }

    /** Changes an object as somebody else would. */
    @SuppressWarnings("unchecked")
    public <T extends KubernetesObject> void edit(ResourceType type, Class<T> model, ObjectKey key,
            Consumer<T> change) {
        KubernetesObject before = of(type).get(key);
        if (before == null) {
            throw new IllegalArgumentException("no " + type + " " + key);
        }
        T after = (T) ModelJson.copy(before);
        change.accept(after);
        of(type).put(key, after);
        tell(type, before, after);
    }

    /** The writes since the last call, each as {@code "create pods default/web-*"}. */
    public List<String> takeRequests() {
        List<String> taken = List.copyOf(requests);
        requests.clear();
        return taken;
    }

    void watch(BiConsumer<FakeApi, Change> watcher) {
        watchers.add(watcher);
    }

    public String revision() {
        return String.valueOf(revision);
    }

    @SuppressWarnings("unchecked")
    public <T extends KubernetesObject> List<T> all(ResourceType type, Class<T> model) {
        return (List<T>) store.getOrDefault(type, new TreeMap<>()).values().stream().map(ModelJson::copy).toList();
    }

    /** Removes an object at once, as the last act of a graceful deletion. */
    public void remove(ResourceType type, ObjectKey key) {
        KubernetesObject gone = of(type).remove(key);
        if (gone != null) {
            tell(type, gone, null);
        }
    }

    private TreeMap<ObjectKey, KubernetesObject> of(ResourceType type) {
        return store.computeIfAbsent(type, t -> new TreeMap<>());
    }

    private void tell(ResourceType type, @Nullable KubernetesObject before, @Nullable KubernetesObject after) {
        revision++;
        if (after != null) {
            after.getMetadata().setResourceVersion(revision());
        }
        Change change = new Change(type, before, after == null ? null : ModelJson.copy(after), revision());
        watchers.forEach(watcher -> watcher.accept(this, change));
    }

    @Override
    public <T extends KubernetesObject> ResourceClient<T> resource(ResourceType type, Class<T> model) {
        return new Client<>(type, model);
    }

    @Override
    public ResourceClient<PartialObjectMetadata> metadata(ResourceType type) {
        return new Client<>(type, PartialObjectMetadata.class);
    }

    @Override
    public Discovered discover() {
        return new Discovered(List.copyOf(store.keySet()), List.of());
    }

    @Override
    public String server() {
        return "fake";
    }

    @Override
    public String serverVersion() {
        return "v1.36.0";
    }

    @Override
    public void close() {}

    private final class Client<T extends KubernetesObject> implements ResourceClient<T> {
        private final ResourceType type;
        private final Class<T> model;

        Client(ResourceType type, Class<T> model) {
            this.type = type;
            this.model = model;
        }

        private <R> R call(String verb, ObjectKey key, java.util.function.Supplier<R> work) {
            requests.add(verb + " " + type + " " + key);
            Fault faulty = fault;
            ApiError error = faulty == null ? null : faulty.before(verb, type, key);
            if (error != null) {
                throw error;
            }
            R answer = work.get();
            ApiError late = faulty == null ? null : faulty.after(verb, type, key);
            if (late != null) {
                throw late;
            }
            return answer;
        }

        private KubernetesObject existing(String verb, ObjectKey key) {
            KubernetesObject found = of(type).get(key);
            if (found == null) {
                throw error(verb, key, 404, "NotFound", type.plural() + " \"" + key.name() + "\" not found");
            }
            return found;
        }

        private ApiError error(String verb, ObjectKey key, int code, String reason, String message) {
            return new ApiError(verb + " " + type + " " + key, code, reason, message, null);
        }

        private T typed(KubernetesObject object) {
            return ModelJson.read(ModelJson.tree(object), model);
        }

        @Override
        public ResourceType type() {
            return type;
        }

        @Override
        public T get(ObjectKey key) {
            return call("get", key, () -> typed(existing("get", key)));
        }

        @Override
        public ListPage<T> list(String namespace, LabelSelector labels, FieldSelector fields, ListOptions options) {
            return call("list", ObjectKey.of(namespace, "*"), () -> new ListPage<>(
                    of(type).entrySet().stream().filter(e -> e.getKey().namespace().equals(namespace)
                            && labels.matches(e.getValue().getMetadata().getLabels())).map(e -> typed(e.getValue()))
                            .toList(),
                    revision(), null, List.of()));
        }

        @Override
        public T create(T object) {
            V1ObjectMeta wanted = object.getMetadata();
            String namespace = wanted.getNamespace() == null ? "" : wanted.getNamespace();
            String name = wanted.getName() != null ? wanted.getName() : wanted.getGenerateName() + ++names;
            ObjectKey key = ObjectKey.of(namespace, name);
            return call("create", key, () -> {
                if (of(type).containsKey(key)) {
                    throw error("create", key, 409, "AlreadyExists", "already exists");
                }
                T stored = ModelJson.copy(object);
                V1ObjectMeta meta = stored.getMetadata();
                meta.setName(name);
                meta.setUid(uids.apply(name) + "-" + revision);
                meta.setGeneration(1L);
                meta.setCreationTimestamp(now());
                of(type).put(key, stored);
                tell(type, null, stored);
                return ModelJson.copy(stored);
            });
        }

        @Override
        public T update(T object) {
            return replace("update", object, false);
        }

        @Override
        public T updateStatus(T object) {
            return replace("update_status", object, true);
        }

        @Override
        public T updateSubresource(T object, String subresource) {
            return replace("update_" + subresource, object, true);
        }

        private T replace(String verb, T object, boolean status) {
            ObjectKey key = ObjectKey.of(object);
            return call(verb, key, () -> {
                KubernetesObject before = existing(verb, key);
                String version = object.getMetadata().getResourceVersion();
                if (version != null && !version.equals(before.getMetadata().getResourceVersion())) {
                    throw error(verb, key, 409, "Conflict", "the object has been modified");
                }
                ObjectNode tree = (ObjectNode) ModelJson.tree(status ? before : object);
                JsonNode kept = ModelJson.tree(status ? object : before).get("status");
                if (kept != null) {
                    tree.set("status", kept);
                }
                if (status) {
                    setAnnotations(tree, object.getMetadata().getAnnotations());
                }
                return typed(store(key, before, tree));
            });
        }

        /** As on a real API server, annotations go with the status. */
        private void setAnnotations(ObjectNode tree, @Nullable Map<String, String> annotations) {
            ((ObjectNode) tree.get("metadata")).set("annotations", ModelJson.tree(annotations));
        }

        private KubernetesObject store(ObjectKey key, KubernetesObject before, JsonNode tree) {
            KubernetesObject after = ModelJson.read(tree, before.getClass());
            if (!Objects.equals(ModelJson.tree(before).get("spec"), tree.get("spec"))) {
                after.getMetadata().setGeneration(before.getMetadata().getGeneration() + 1);
            }
            of(type).put(key, after);
            tell(type, before, after);
            return after;
        }

        @Override
        public T patch(ObjectKey key, String subresource, PatchType patchType, String body) {
            return call("patch", key, () -> {
                KubernetesObject before = existing("patch", key);
                JsonNode patch = ModelJson.mapperForModels().readTree(body);
                String uid = patch.path("metadata").path("uid").asString("");
                if (!uid.isEmpty() && !uid.equals(before.getMetadata().getUid())) {
                    throw error("patch", key, 409, "Conflict", "the UID in the precondition is " + uid);
                }
                ObjectNode tree = (ObjectNode) ModelJson.tree(before);
                merge(tree, patch);
                return typed(store(key, before, tree));
            });
        }

        @Override
        public void delete(ObjectKey key, Deletion deletion) {
            call("delete", key, () -> {
                KubernetesObject before = existing("delete", key);
                if (deletion.uid() != null && !deletion.uid().equals(before.getMetadata().getUid())) {
                    throw error("delete", key, 409, "Conflict", "the UID in the precondition is " + deletion.uid());
                }
                if (before instanceof V1Pod pod && pod.getSpec() != null && pod.getSpec().getNodeName() != null) {
                    KubernetesObject after = ModelJson.copy(before);
                    after.getMetadata().setDeletionTimestamp(now());
                    of(type).put(key, after);
                    tell(type, before, after);
                } else {
                    remove(type, key);
                }
                return true;
            });
        }

        @Override
        public void deleteCollection(String namespace, Deletion deletion) {
            List.copyOf(of(type).keySet()).stream()
                    .filter(key -> namespace.isEmpty() || key.namespace().equals(namespace))
                    .forEach(key -> delete(key, deletion));
        }

        @Override
        public void createSubresource(ObjectKey key, String subresource, Object body) {
            throw new UnsupportedOperationException();
        }

        @Override
        public ListerWatcher<T> listerWatcher(String namespace, LabelSelector labels, FieldSelector fields) {
            throw new UnsupportedOperationException();
        }
    }

    private OffsetDateTime now() {
        return OffsetDateTime.ofInstant(clock.now(), ZoneOffset.UTC).truncatedTo(ChronoUnit.SECONDS);
    }

    /** A merge patch, in which lists of owner references merge by UID as a strategic one's do. */
    private static void merge(ObjectNode into, JsonNode patch) {
        patch.properties().forEach(entry -> {
            JsonNode value = entry.getValue();
            if (value.isNull()) {
                into.remove(entry.getKey());
            } else if (entry.getKey().equals("ownerReferences")) {
                into.set(entry.getKey(), mergeOwners(into.path(entry.getKey()), value));
            } else if (value.isObject() && into.get(entry.getKey()) instanceof ObjectNode object) {
                merge(object, value);
            } else {
                into.set(entry.getKey(), value);
            }
        });
    }

    private static JsonNode mergeOwners(JsonNode before, JsonNode patch) {
        Map<String, JsonNode> owners = new TreeMap<>();
        before.forEach(owner -> owners.put(owner.path("uid").asString(), owner));
        patch.forEach(owner -> {
            if (owner.has("$patch")) {
                owners.remove(owner.path("uid").asString());
            } else {
                owners.put(owner.path("uid").asString(), owner);
            }
        });
        ArrayNode merged = ModelJson.mapperForModels().createArrayNode();
        owners.values().forEach(merged::add);
        return merged;
    }
}
