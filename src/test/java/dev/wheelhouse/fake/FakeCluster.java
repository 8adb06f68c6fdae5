package dev.wheelhouse.fake;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.runtime.Clock;

/**
 * A cluster's objects in memory, with the API server behaviour that controllers, the scheduler and a node depend on:
 * versions and conflicts, UIDs and preconditions, generated names, generations, patches, finalizers, propagation
 * policies, graceful deletion of pods, and watches that never wait. It does not validate objects, so that a test may
 * set only the fields that matter to it. It records every request, and fails those that the test chooses. Objects are
 * copied on the way in and out. Not thread safe.
 */
public final class FakeCluster implements KubeClient {
    private static final long FIRST_VERSION = 100;

    private final Clock clock;
    private final Map<ResourceType, TreeMap<ObjectKey, ObjectNode>> objects = new LinkedHashMap<>();
    private final List<Change> changes = new ArrayList<>();
    private final List<Consumer<Change>> watchers = new ArrayList<>();
    private final List<Request> requests = new ArrayList<>();
    private final Map<String, List<ApiError>> failures = new LinkedHashMap<>();
    private final List<ResourceType> discovered = new ArrayList<>();
    private final List<String> discoveryFailures = new ArrayList<>();
    private Fault fault = (verb, type, key) -> null;
    private UnaryOperator<String> uids = name -> "uid-" + name + "-" + (changes.size() + 1);
    private int names;

    /** Injects errors before and after the execution of requests. */
    @FunctionalInterface
    public interface Fault {
        /** @return the error to return instead of executing the request; null to execute it */
        @Nullable
        ApiError before(String verb, ResourceType type, ObjectKey key);

        /** @return the error to return although the request was executed; null to return the result */
        default @Nullable ApiError after(String verb, ResourceType type, ObjectKey key) {
            return null;
        }

        /** Injects the errors of {@code late} after the execution of the requests. */
        static Fault afterwards(Fault late) {
            return new Fault() {
                @Override
                public @Nullable ApiError before(String verb, ResourceType type, ObjectKey key) {
                    return null;
                }

                @Override
                public @Nullable ApiError after(String verb, ResourceType type, ObjectKey key) {
                    return late.before(verb, type, key);
                }
            };
        }
    }

    /** A change of one object, as a watch reports it: {@code before} is null for an add, {@code after} for a delete. */
    record Change(ResourceType type, ObjectKey key, long version, @Nullable ObjectNode before,
            @Nullable ObjectNode after) {}

    /** A request. Its detail is the body of a patch or the options of a deletion. */
    public record Request(String verb, ResourceType type, String subresource, ObjectKey key, String detail) {
        /** The request without its detail, such as {@code patch pods/status default/web}. */
        public String what() {
            return verb + " " + type + (subresource.isEmpty() ? "" : "/" + subresource) + " " + key;
        }

        public boolean isWrite() {
            return !List.of("get", "list", "watch").contains(verb);
        }

        @Override
        public String toString() {
            return detail.isEmpty() ? what() : what() + " " + detail;
        }
    }

    /** @param types the types that discovery lists */
    public FakeCluster(Clock clock, ResourceType... types) {
        this.clock = clock;
        discovered.addAll(List.of(types));
    }

    public void addType(ResourceType type) {
        discovered.add(type);
    }

    public void removeType(ResourceType type) {
        discovered.remove(type);
        List.copyOf(store(type).keySet()).forEach(key -> remove(type, key));
    }

    public void failDiscovery(String... groups) {
        discoveryFailures.clear();
        discoveryFailures.addAll(List.of(groups));
    }

    /** Replaces the injected faults for all further requests. */
    public void fault(Fault next) {
        fault = next;
    }

    public void noFault() {
        fault((verb, type, key) -> null);
    }

    /** Lets the next request that starts with a text, such as {@code "delete pods default/web"}, fail. */
    public void failNext(String request, ApiError error) {
        failures.computeIfAbsent(request, k -> new ArrayList<>()).add(error);
    }

    public void failNext(String request, int code, String reason, String message) {
        failNext(request, new ApiError(request, code, reason, message, null));
    }

    /** Sets the function from an object's name to its UID. */
    public void uids(UnaryOperator<String> byName) {
        uids = byName;
    }

    /** All requests since the last {@link #takeRequests()}, in order. */
    public List<Request> requests() {
        return List.copyOf(requests);
    }

    /** The requests since the last call, in order, such as {@code delete pods default/web Background}. */
    public List<String> takeRequests() {
        List<String> taken = requests.stream().map(Request::toString).toList();
        requests.clear();
        return taken;
    }

    /** Like {@link #takeRequests()}, but without reads. */
    public List<String> takeWrites() {
        List<String> taken = requests.stream().filter(Request::isWrite).map(Request::toString).toList();
        requests.clear();
        return taken;
    }

    /** Stores an object without a request. Sets a missing UID, creation time and version. */
    public <T extends KubernetesObject> T put(ResourceType type, T object) {
        return ModelJson.read(put(type, (ObjectNode) ModelJson.tree(object)), modelOf(object));
    }

    @SuppressWarnings("unchecked")
    private static <T> Class<T> modelOf(T object) {
        return (Class<T>) object.getClass();
    }

    ObjectNode put(ResourceType type, ObjectNode object) {
        object.put("apiVersion", type.apiVersion()).put("kind", type.kind());
        ObjectKey key = key(object);
        ObjectNode meta = object.withObject("/metadata");
        if (!meta.hasNonNull("uid")) {
            meta.put("uid", uids.apply(key.name()));
        }
        if (!meta.hasNonNull("creationTimestamp")) {
            meta.put("creationTimestamp", now().toString());
        }
        meta.put("resourceVersion", Long.toString(version() + 1));
        tell(type, key, store(type).put(key, object), object);
        return object;
    }

    /** Changes an object without a request, as another client would. */
    public <T extends KubernetesObject> void edit(ResourceType type, Class<T> model, ObjectKey key,
            Consumer<T> change) {
        T object = read(type, key, model);
        change.accept(object);
        put(type, object);
    }

    /** Removes an object without a request, even if it has finalizers. */
    public void remove(ResourceType type, ObjectKey key) {
        ObjectNode before = store(type).remove(key);
        if (before != null) {
            tell(type, key, before, null);
        }
    }

    private void tell(ResourceType type, ObjectKey key, @Nullable ObjectNode before, @Nullable ObjectNode after) {
        Change change = new Change(type, key, version() + 1, before, after);
        changes.add(change);
        watchers.forEach(watcher -> watcher.accept(change));
    }

    public boolean exists(ResourceType type, ObjectKey key) {
        return store(type).containsKey(key);
    }

    /** The stored object, read without a request. */
    public <T> T read(ResourceType type, ObjectKey key, Class<T> model) {
        return ModelJson.read(live(type, key, "read"), model);
    }

    /** All objects of a type in the order of their keys, read without a request. */
    public <T> List<T> all(ResourceType type, Class<T> model) {
        return store(type).values().stream().map(object -> ModelJson.read(object, model)).toList();
    }

    /** The JSON of an object. */
    public JsonNode json(ResourceType type, ObjectKey key) {
        return live(type, key, "read").deepCopy();
    }

    /** The version of the newest change. */
    public String revision() {
        return Long.toString(version());
    }

    long version() {
        return FIRST_VERSION + changes.size();
    }

    Instant now() {
        return clock.now().truncatedTo(ChronoUnit.SECONDS);
    }

    String generateName(String prefix) {
        return prefix + ++names;
    }

    private static ObjectKey key(JsonNode object) {
        JsonNode meta = object.path("metadata");
        return new ObjectKey(meta.path("namespace").asString(""), meta.path("name").asString(""));
    }

    TreeMap<ObjectKey, ObjectNode> store(ResourceType type) {
        return objects.computeIfAbsent(type, k -> new TreeMap<>());
    }

    /** The stored object itself. Callers must not change it. */
    ObjectNode live(ResourceType type, ObjectKey key, String verb) {
        ObjectNode object = store(type).get(key);
        if (object == null) {
            throw new ApiError(verb + " " + type + " " + key, 404, "NotFound",
                    type + " \"" + key.name() + "\" not found", null);
        }
        return object;
    }

    void watch(Consumer<Change> watcher) {
        watchers.add(watcher);
    }

    /** The changes of all types after a version, in order. */
    List<Change> changesAfter(long version) {
        return changes.subList((int) Math.max(0, version - FIRST_VERSION), changes.size());
    }

    /** Records a request and executes it, unless it is to fail. */
    <R> R call(Request request, Supplier<R> work) {
        requests.add(request);
        failures.forEach((beginning, errors) -> {
            if (!errors.isEmpty() && request.toString().startsWith(beginning)) {
                throw errors.removeFirst();
            }
        });
        Fault now = fault;
        fail(now.before(request.verb(), request.type(), request.key()));
        R answer = work.get();
        fail(now.after(request.verb(), request.type(), request.key()));
        return answer;
    }

    private static void fail(@Nullable ApiError error) {
        if (error != null) {
            throw error;
        }
    }

    @Override
    public <T extends KubernetesObject> ResourceClient<T> resource(ResourceType type, Class<T> model) {
        return new FakeResourceClient<>(this, type, model);
    }

    @Override
    public ResourceClient<PartialObjectMetadata> metadata(ResourceType type) {
        return resource(type, PartialObjectMetadata.class);
    }

    @Override
    public Discovered discover() {
        return new Discovered(List.copyOf(discovered), List.copyOf(discoveryFailures));
    }

    @Override
    public String server() {
        return "fake://";
    }

    @Override
    public String serverVersion() {
        return "v1.36.0";
    }

    @Override
    public void close() {}
}
