package dev.wheelhouse.apiserver.store;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/** One version of one object: its JSON, and the labels and fields that selectors read. Immutable; bytes are shared. */
public final class StoredObject {
    private static final byte[] METADATA = "\"metadata\":{\"resourceVersion\":\"".getBytes(StandardCharsets.US_ASCII);

    @SuppressWarnings("unchecked")
    private static final Map.Entry<String, String>[] NO_LABELS = new Map.Entry[0];

    private final String namespace;
    private final String name;
    private final String uid;
    private final long version;
    private final Map<String, String> labels;
    /** The names of the selectable fields, and their values. */
    private final List<String> paths;
    private final String[] values;
    private final byte[] json;
    private final int bodyOffset;

    private StoredObject(String namespace, String name, String uid, long version, Map<String, String> labels,
            List<String> paths, String[] values, byte[] json, int bodyOffset) {
        this.namespace = namespace;
        this.name = name;
        this.uid = uid;
        this.version = version;
        this.labels = labels;
        this.paths = paths;
        this.values = values;
        this.json = json;
        this.bodyOffset = bodyOffset;
    }

    /** Serialises an object under a guessed version. Under the store's lock, {@link #atVersion} only changes digits. */
    static StoredObject draft(String resource, ObjectNode object, long guess) {
        ObjectNode meta = Json.child(object, "metadata");
        byte[] json = Json.bytes(canonical(object, meta, guess));
        return new StoredObject(Json.text(meta, "namespace"), Json.text(meta, "name"), Json.text(meta, "uid"), guess,
                labels(meta.get("labels")), SelectableFields.paths(resource), SelectableFields.of(resource, object),
                json, indexOf(METADATA, json));
    }

    /** Puts kind, apiVersion and metadata first, with the version first in it, to replace them without parsing. */
    private static ObjectNode canonical(ObjectNode object, ObjectNode meta, long version) {
        ObjectNode out = Json.object();
        out.put("kind", Json.text(object, "kind"));
        out.put("apiVersion", Json.text(object, "apiVersion"));
        ObjectNode ordered = out.putObject("metadata").put("resourceVersion", Long.toString(version));
        Json.copyMissing(meta, ordered);
        Json.copyMissing(object, out);
        return out;
    }

    private static int indexOf(byte[] sought, byte[] json) {
        for (int at = 0; at + sought.length <= json.length; at++) {
            if (Arrays.equals(json, at, at + sought.length, sought, 0, sought.length)) {
                return at;
            }
        }
        throw new IllegalStateException("an object was serialised without its metadata");
    }

    private static Map<String, String> labels(@Nullable JsonNode labels) {
        if (!(labels instanceof ObjectNode object) || object.isEmpty()) {
            return Map.of();
        }
        List<Map.Entry<String, String>> entries = new ArrayList<>(object.size());
        object.forEachEntry((key, value) -> entries.add(Map.entry(key, value.asString(""))));
        return Map.ofEntries(entries.toArray(NO_LABELS));
    }

    /** The same state under another version, for a draft whose version is now known and for events of deletion. */
    StoredObject atVersion(long other) {
        if (other == version) {
            return this;
        }
        byte[] digits = Long.toString(other).getBytes(StandardCharsets.US_ASCII);
        int from = bodyOffset + METADATA.length;
        int to = from + Long.toString(version).length();
        byte[] changed = new byte[json.length + digits.length - (to - from)];
        System.arraycopy(json, 0, changed, 0, from);
        System.arraycopy(digits, 0, changed, from, digits.length);
        System.arraycopy(json, to, changed, from + digits.length, json.length - to);
        return new StoredObject(namespace, name, uid, other, labels, paths, values, changed, bodyOffset);
    }

    /** The same version of the object in another form, such as another version of its API. */
    public StoredObject inForm(ObjectNode tree) {
        byte[] other = Json.bytes(canonical(tree, Json.child(tree, "metadata"), version));
        return new StoredObject(namespace, name, uid, version, labels, paths, values, other, indexOf(METADATA, other));
    }

    static String key(String namespace, String name) {
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }

    String key() {
        return key(namespace, name);
    }

    /** Empty for a cluster-scoped object. */
    public String namespace() {
        return namespace;
    }

    public String name() {
        return name;
    }

    public String uid() {
        return uid;
    }

    /** The version of the write that made this state. */
    public long version() {
        return version;
    }

    public Map<String, String> labels() {
        return labels;
    }

    /**
     * The value that a field selector compares; empty if the field is not set, null if objects of this resource have no
     * such field.
     *
     * @param path the field's name, as {@link SelectableFields#canonical} gives it
     */
    public @Nullable String field(String path) {
        return switch (path) {
            case "metadata.name" -> name;
            case "metadata.namespace" -> namespace;
            default -> {
                int at = paths.indexOf(path);
                yield at >= 0 ? values[at] : paths.isEmpty() ? fieldInJson(path) : null;
            }
        };
    }

    /** A selectable field of a custom resource. These are rare, so they are read from the JSON on demand. */
    private @Nullable String fieldInJson(String path) {
        JsonNode value = Json.at(tree(), path.split("\\.", -1));
        return value == null || value.isContainer() ? "" : value.asString();
    }

    /** The object as JSON. Do not change the array. */
    public byte[] json() {
        return json;
    }

    /** The index in {@link #json()} at which {@code "metadata":…} begins, after kind and apiVersion. */
    public int bodyOffset() {
        return bodyOffset;
    }

    /** A new tree of the object, which the caller may change. */
    public ObjectNode tree() {
        return (ObjectNode) Json.read(json);
    }
}
