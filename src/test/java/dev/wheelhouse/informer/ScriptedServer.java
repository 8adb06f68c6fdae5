package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.DecodeFailure;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.ListerWatcher;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;

/**
 * A collection of config maps with a history, as in an API server: versions, continue tokens, watches that replay the
 * history, compaction. Faults are scripted. No call waits.
 */
final class ScriptedServer implements ListerWatcher<V1ConfigMap> {
    final TreeMap<ObjectKey, V1ConfigMap> objects = new TreeMap<>();
    final List<ListOptions> lists = new ArrayList<>();
    final List<WatchOptions> watches = new ArrayList<>();
    final List<Stream> open = new ArrayList<>();
    /** The errors for the next lists and watches, each used once. */
    final ArrayDeque<ApiError> listErrors = new ArrayDeque<>();
    final ArrayDeque<ApiError> watchErrors = new ArrayDeque<>();
    /** The undecodable items of the next list. */
    final List<DecodeFailure> undecodable = new ArrayList<>();
    boolean bookmarkInitialEvents = true;
    boolean watchListRefused;

    private final List<Change> history = new ArrayList<>();
    private final Map<String, Snapshot> snapshots = new TreeMap<>();
    private long version = 100;
    private long compacted = 100;
    private long uids;

    /** Lists that are answered whatever there is. */
    final ArrayDeque<ListPage<V1ConfigMap>> sickLists = new ArrayDeque<>();

    private record Change(long version, ObjectKey key, WatchEvent<V1ConfigMap> event) {}

    private record Snapshot(List<V1ConfigMap> items, long version) {}

    static ApiError error(int code, String reason, String message, @Nullable Duration retryAfter) {
        return new ApiError("scripted", code, reason, message, retryAfter);
    }

    static ApiError expired() {
        return error(410, "Expired", "too old resource version", null);
    }

    static ApiError tooLarge() {
        return error(504, "Timeout", "Too large resource version: 9999, current: 100", Duration.ofSeconds(1));
    }

    long version() {
        return version;
    }

    static ObjectKey key(String name) {
        return ObjectKey.of("default", name);
    }

    V1ConfigMap add(String name, String value) {
        V1ConfigMap object = new V1ConfigMap().apiVersion("v1").kind("ConfigMap")
                .metadata(new V1ObjectMeta().namespace("default").name(name)
                        .uid(new UUID(7, ++uids).toString()).resourceVersion(String.valueOf(++version)))
                .putDataItem("value", value);
        objects.put(key(name), object);
        happened(new WatchEvent.Added<>(object), key(name));
        return object;
    }

    V1ConfigMap update(String name, String value) {
        V1ConfigMap object = ModelJson.copy(Objects.requireNonNull(objects.get(key(name))));
        object.getMetadata().setResourceVersion(String.valueOf(++version));
        object.putDataItem("value", value);
        objects.put(key(name), object);
        happened(new WatchEvent.Modified<>(object), key(name));
        return object;
    }

    V1ConfigMap delete(String name) {
        V1ConfigMap object = ModelJson.copy(Objects.requireNonNull(objects.remove(key(name))));
        object.getMetadata().setResourceVersion(String.valueOf(++version));
        happened(new WatchEvent.Deleted<>(object), key(name));
        return object;
    }

    private void happened(WatchEvent<V1ConfigMap> event, ObjectKey key) {
        history.add(new Change(version, key, event));
        open.forEach(stream -> stream.queue.add(event));
    }

    /** Sends an event to all open watches. */
    void send(WatchEvent<V1ConfigMap> event) {
        open.forEach(stream -> stream.queue.add(event));
    }

    void bookmark() {
        version++;
        send(new WatchEvent.Bookmark<>(String.valueOf(version), false));
    }

    /** Drops the history: older watches and continue tokens have expired. */
    void compact() {
        compacted = version;
        history.clear();
        snapshots.clear();
    }

    /** Sets the server's data back, as a restore from a backup does. Open watches only wait. */
    void setBack(long to) {
        objects.values().removeIf(o -> Long.parseLong(o.getMetadata().getResourceVersion()) > to);
        history.removeIf(change -> change.version > to);
        version = to;
    }

    /** Sends an object of another class, as an untyped source could. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    void sendOther(Object object) {
        open.forEach(stream -> ((ArrayDeque) stream.queue).add(new WatchEvent.Added<>(object)));
    }

    /** Ends all open watches without an error. */
    void endWatches() {
        open.forEach(stream -> stream.ended = true);
        open.clear();
    }

    /** Breaks all open watches. Events that were sent but not read are lost. */
    void cutWatches() {
        open.forEach(stream -> {
            stream.queue.clear();
            stream.broken = new ApiError("watch configmaps", new java.io.IOException("connection reset"));
        });
        open.clear();
    }

    @Override
    public ResourceType type() {
        return ResourceType.CONFIG_MAPS;
    }

    @Override
    public String namespace() {
        return "";
    }

    @Override
    public ListPage<V1ConfigMap> list(ListOptions options) {
        lists.add(options);
        if (!listErrors.isEmpty()) {
            throw listErrors.poll();
        }
        if (!sickLists.isEmpty()) {
            return sickLists.remove();
        }
        int from = 0;
        Snapshot snapshot = new Snapshot(List.copyOf(objects.values()), version);
        String id = String.valueOf(version);
        if (options.continueToken() != null) {
            String[] token = options.continueToken().split(":");
            id = token[0];
            from = Integer.parseInt(token[1]);
            snapshot = snapshots.get(id);
            if (snapshot == null) {
                throw expired();
            }
        } else if (options.resourceVersion() != null && !options.resourceVersion().equals("0")
                && Long.parseLong(options.resourceVersion()) > version) {
            throw tooLarge();
        }
        int to = options.limit() > 0 ? Math.min(snapshot.items.size(), from + options.limit()) : snapshot.items.size();
        String next = null;
        if (to < snapshot.items.size()) {
            snapshots.put(id, snapshot);
            next = id + ":" + to;
        }
        List<V1ConfigMap> items = new ArrayList<>(snapshot.items.subList(from, to));
        List<DecodeFailure> skipped = List.copyOf(undecodable);
        items.removeIf(o -> skipped.stream().anyMatch(f -> ObjectKey.of(o).equals(f.key())));
        return new ListPage<>(items, String.valueOf(snapshot.version), next, skipped);
    }

    @Override
    public WatchStream<V1ConfigMap> watch(WatchOptions options) {
        watches.add(options);
        if (!watchErrors.isEmpty()) {
            throw watchErrors.poll();
        }
        Stream stream = new Stream();
        if (options.sendInitialEvents()) {
            if (watchListRefused) {
                throw error(422, "Invalid", "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch",
                        null);
            }
            objects.values().forEach(o -> stream.queue.add(new WatchEvent.Added<>(o)));
            if (bookmarkInitialEvents) {
                stream.queue.add(new WatchEvent.Bookmark<>(String.valueOf(version), true));
            }
        } else {
            long from = Long.parseLong(options.resourceVersion());
            if (from < compacted) {
                stream.queue.add(new WatchEvent.Failed<>(expired()));
                stream.ended = true;
                return stream;
            }
            history.stream().filter(c -> c.version > from).forEach(c -> stream.queue.add(c.event));
        }
        open.add(stream);
        return stream;
    }

    /** A watch that never waits. */
    static final class Stream implements WatchStream<V1ConfigMap> {
        final ArrayDeque<WatchEvent<V1ConfigMap>> queue = new ArrayDeque<>();
        boolean ended;
        boolean closed;
        @Nullable
        ApiError broken;

        @Override
        public @Nullable WatchEvent<V1ConfigMap> next(Duration maxWait) {
            if (closed) {
                return null;
            }
            WatchEvent<V1ConfigMap> event = queue.poll();
            if (event == null && broken != null) {
                throw broken;
            }
            return event;
        }

        @Override
        public boolean isEnded() {
            return closed || ended && queue.isEmpty();
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
