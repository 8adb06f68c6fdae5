package dev.wheelhouse.node;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

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
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;
import dev.wheelhouse.runtime.Clock;

/**
 * As much of an API server as a node needs, in memory: create, get, update, patch with list merge keys, graceful deletion of
 * pods, UID preconditions, watches that never wait.
 */
final class FakeKubeClient implements KubeClient {
    private static final Map<String, String> MERGE_KEYS = Map.of("conditions", "type", "podIPs", "ip", "hostIPs", "ip",
            "addresses", "type");

    private final Clock clock;
    private final Map<ResourceType, TreeMap<ObjectKey, ObjectNode>> stored = new LinkedHashMap<>();
    private final List<Change> changes = new ArrayList<>();
    /** Every write, as {@code patch pods/status default/web}. */
    final List<String> writes = new ArrayList<>();
    /** Thrown by the next call, then forgotten. */
    @Nullable
    ApiError failNext;
    /** While it is set, every call fails as if the server were away. */
    boolean down;
    /** While it is set, every call about Nodes fails so. */
    boolean nodesDown;
    private long version;
    private int uids;

    private record Change(ResourceType type, long version, @Nullable ObjectNode before, @Nullable ObjectNode after) {}

    FakeKubeClient(Clock clock) {
        this.clock = clock;
    }

    synchronized @Nullable ObjectNode stored(ResourceType type, ObjectKey key) {
        return objects(type).get(key);
    }

    private Map<ObjectKey, ObjectNode> objects(ResourceType type) {
        return stored.computeIfAbsent(type, t -> new TreeMap<>());
    }

    private void check(ResourceType type) {
        if (down || nodesDown && type.equals(ResourceType.NODES)) {
            throw new ApiError("call " + server(), new java.io.IOException("connection refused"));
        }
        ApiError error = failNext;
        if (error != null) {
            failNext = null;
            throw error;
        }
    }

    private static ApiError error(int code, String reason, String tried) {
        return new ApiError(tried, code, reason, reason, null);
    }

    private static ObjectNode meta(ObjectNode object) {
        return (ObjectNode) object.path("metadata");
    }

    private ObjectNode put(ResourceType type, ObjectKey key, ObjectNode object) {
        ObjectNode before = objects(type).get(key);
        meta(object).put("resourceVersion", String.valueOf(++version));
        objects(type).put(key, object);
        changes.add(new Change(type, version, before, object));
        return object;
    }

    private void remove(ResourceType type, ObjectKey key) {
        ObjectNode before = objects(type).remove(key);
        changes.add(new Change(type, ++version, before, null));
    }

    /** Merges a patch as a strategic merge patch would, for the lists that a node writes. */
    static void merge(ObjectNode target, ObjectNode patch, boolean strategic) {
        patch.forEachEntry((field, value) -> {
            String mergeKey = strategic ? MERGE_KEYS.get(field) : null;
            if (value.isNull()) {
                target.remove(field);
            } else if (value.isObject() && target.path(field).isObject()) {
                merge((ObjectNode) target.path(field), (ObjectNode) value, strategic);
            } else if (mergeKey != null && target.path(field).isArray()) {
                mergeList((ArrayNode) target.path(field), (ArrayNode) value, mergeKey);
            } else {
                target.set(field, value.deepCopy());
            }
        });
    }

    private static void mergeList(ArrayNode target, ArrayNode patch, String key) {
        for (JsonNode element : patch) {
            ObjectNode match = null;
            for (JsonNode there : target) {
                if (there.path(key).equals(element.path(key))) {
                    match = (ObjectNode) there;
                }
            }
            if (match == null) {
                match = target.addObject();
            }
            merge(match, (ObjectNode) element, true);
        }
    }

    @Override
    public <T extends KubernetesObject> ResourceClient<T> resource(ResourceType type, Class<T> model) {
        return new Client<>(type, model);
    }

    @Override
    public ResourceClient<PartialObjectMetadata> metadata(ResourceType type) {
        return resource(type, PartialObjectMetadata.class);
    }

    @Override
    public Discovered discover() {
        return new Discovered(List.copyOf(stored.keySet()), List.of());
    }

    @Override
    public String server() {
        return "memory";
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

        private T decode(ObjectNode object) {
            return ModelJson.read(object, model);
        }

        private ObjectNode known(ObjectKey key, String verb) {
            check(type);
            ObjectNode object = objects(type).get(key);
            if (object == null) {
                throw error(404, "NotFound", verb + " " + type + " " + key);
            }
            return object;
        }

        @Override
        public ResourceType type() {
            return type;
        }

        @Override
        public T get(ObjectKey key) {
            synchronized (FakeKubeClient.this) {
                return decode(known(key, "get"));
            }
        }

        @Override
        public ListPage<T> list(String namespace, LabelSelector labels, FieldSelector fields, ListOptions options) {
            synchronized (FakeKubeClient.this) {
                check(type);
                List<T> items = objects(type).values().stream().filter(o -> matches(o, fields)).map(this::decode)
                        .toList();
                return new ListPage<>(items, String.valueOf(version), null, List.of());
            }
        }

        @Override
        public T create(T object) {
            synchronized (FakeKubeClient.this) {
                check(type);
                ObjectKey key = ObjectKey.of(object);
                writes.add("create " + type + " " + key);
                if (objects(type).containsKey(key)) {
                    throw error(409, "AlreadyExists", "create " + type + " " + key);
                }
                ObjectNode json = (ObjectNode) ModelJson.tree(object);
                meta(json).put("uid", "uid-" + ++uids).put("creationTimestamp", clock.now().toString());
                if (type.equals(ResourceType.PODS)) {
                    meta(json).put("generation", 1);
                    if (!json.has("status")) {
                        json.putObject("status").put("phase", "Pending").put("qosClass", "BestEffort");
                    }
                }
                return decode(put(type, key, json));
            }
        }

        @Override
        public T update(T object) {
            synchronized (FakeKubeClient.this) {
                ObjectKey key = ObjectKey.of(object);
                writes.add("update " + type + " " + key);
                ObjectNode before = known(key, "update");
                String wanted = object.getMetadata().getResourceVersion();
                if (wanted != null && !wanted.equals(meta(before).path("resourceVersion").asString())) {
                    throw error(409, "Conflict", "update " + type + " " + key);
                }
                return decode(put(type, key, (ObjectNode) ModelJson.tree(object)));
            }
        }

        @Override
        public T updateStatus(T object) {
            return update(object);
        }

        @Override
        public T updateSubresource(T object, String subresource) {
            return update(object);
        }

        @Override
        public T patch(ObjectKey key, String subresource, PatchType patchType, String body) {
            synchronized (FakeKubeClient.this) {
                writes.add("patch " + type + (subresource.isEmpty() ? "" : "/" + subresource) + " " + key);
                ObjectNode next = known(key, "patch").deepCopy();
                ObjectNode patch = (ObjectNode) ModelJson.mapperForModels().readTree(body);
                String uid = patch.path("metadata").path("uid").asString("");
                if (!uid.isEmpty() && !uid.equals(meta(next).path("uid").asString())) {
                    throw error(409, "Conflict", "patch " + type + " " + key);
                }
                merge(next, patch, patchType == PatchType.STRATEGIC_MERGE);
                return decode(put(type, key, next));
            }
        }

        @Override
        public void deleteCollection(String namespace, Deletion deletion) {
            synchronized (FakeKubeClient.this) {
                List.copyOf(objects(type).keySet()).stream()
                        .filter(key -> namespace.isEmpty() || key.namespace().equals(namespace))
                        .forEach(key -> delete(key, deletion));
            }
        }

        @Override
        public void delete(ObjectKey key, Deletion deletion) {
            synchronized (FakeKubeClient.this) {
                writes.add("delete " + type + " " + key);
                ObjectNode object = known(key, "delete");
                if (deletion.uid() != null && !deletion.uid().equals(meta(object).path("uid").asString())) {
                    throw error(409, "Conflict", "delete " + type + " " + key);
                }
                long grace = deletion.gracePeriodSeconds() != null
                        ? deletion.gracePeriodSeconds()
                        : object.path("spec").path("terminationGracePeriodSeconds").asLong(30);
                if (!type.equals(ResourceType.PODS) || grace == 0
                        || object.path("spec").path("nodeName").asString("").isEmpty()) {
                    remove(type, key);
                    return;
                }
                ObjectNode next = object.deepCopy();
                Instant at = clock.now().plusSeconds(grace);
                meta(next).put("deletionTimestamp", at.toString()).put("deletionGracePeriodSeconds", grace);
                put(type, key, next);
            }
        }

        @Override
        public void createSubresource(ObjectKey key, String subresource, Object body) {
            throw new UnsupportedOperationException(subresource);
        }

        private boolean matches(@Nullable ObjectNode object, FieldSelector fields) {
            return object != null && fields.matches(field -> {
                JsonNode node = object;
                for (String part : List.of(field.split("\\.", -1))) {
                    node = node.path(part);
                }
                return node.asString("");
            });
        }

        @Override
        public ListerWatcher<T> listerWatcher(String namespace, LabelSelector labels, FieldSelector fields) {
            Client<T> client = this;
            return new ListerWatcher<>() {
                @Override
                public ResourceType type() {
                    return type;
                }

                @Override
                public String namespace() {
                    return namespace;
                }

                @Override
                public ListPage<T> list(ListOptions options) {
                    return client.list(namespace, labels, fields, options);
                }

                @Override
                public WatchStream<T> watch(WatchOptions options) {
                    check(type);
                    return new Stream(fields, Long.parseLong(options.resourceVersion()));
                }
            };
        }

        private final class Stream implements WatchStream<T> {
            private final FieldSelector fields;
            private long after;
            private boolean closed;

            Stream(FieldSelector fields, long after) {
                this.fields = fields;
                this.after = after;
            }

            @Override
            public @Nullable WatchEvent<T> next(Duration maxWait) {
                synchronized (FakeKubeClient.this) {
                    for (Change change : changes.subList((int) Math.min(after, changes.size()), changes.size())) {
                        after = change.version;
                        if (!change.type.equals(type)) {
                            continue;
                        }
                        boolean was = matches(change.before, fields);
                        boolean is = matches(change.after, fields);
                        if (is && change.after != null) {
                            T object = decode(change.after);
                            return was ? new WatchEvent.Modified<>(object) : new WatchEvent.Added<>(object);
                        }
                        if (was && change.before != null) {
                            return new WatchEvent.Deleted<>(decode(change.before));
                        }
                    }
                    return null;
                }
            }

            @Override
            public boolean isEnded() {
                return closed;
            }

            @Override
            public void close() {
                closed = true;
            }
        }
    }
}
