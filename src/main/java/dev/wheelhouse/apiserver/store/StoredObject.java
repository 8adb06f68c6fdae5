package dev.wheelhouse.apiserver.store;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/**
 * One version of one object, immutable: its JSON, and what selectors ask for. The bytes are shared by all readers and must
 * not be changed.
 */
public final class StoredObject {
    private static final byte[] METADATA = "\"metadata\":{\"resourceVersion\":\"".getBytes(StandardCharsets.US_ASCII);

    private final String namespace;
    private final String name;
    private final String uid;
    private final long version;
    private final Map<String, String> labels;
    private final Map<String, String> fields;
    private final byte[] json;
    private final int bodyOffset;

    private StoredObject(String namespace, String name, String uid, long version, Map<String, String> labels,
            Map<String, String> fields, byte[] json, int bodyOffset) {
        this.namespace = namespace;
        this.name = name;
        this.uid = uid;
        this.version = version;
        this.labels = labels;
        this.fields = fields;
        this.json = json;
        this.bodyOffset = bodyOffset;
    }

    /**
     * Serialises an object, with a guess at the version that it will have: {@link #atVersion} then exchanges some digits, which
     * is all that is left to do while writers wait for one another.
     */
    static StoredObject draft(String resource, ObjectNode object, long guess) {
        ObjectNode meta = Json.child(object, "metadata");
        byte[] json = Json.bytes(canonical(object, meta, guess));
        return new StoredObject(Json.text(meta, "namespace"), Json.text(meta, "name"), Json.text(meta, "uid"), guess,
                labels(meta.get("labels")), SelectableFields.of(resource, object), json, indexOf(METADATA, json));
    }

    /**
     * Kind, apiVersion and metadata first, and in the metadata the version, so that a reader can cut or exchange them without
     * parsing.
     */
    private static ObjectNode canonical(ObjectNode object, ObjectNode meta, long version) {
        ObjectNode out = Json.object();
        out.put("kind", Json.text(object, "kind"));
        out.put("apiVersion", Json.text(object, "apiVersion"));
        ObjectNode ordered = out.putObject("metadata").put("resourceVersion", Long.toString(version));
        addMissing(meta, ordered);
        addMissing(object, out);
        return out;
    }

    private static void addMissing(ObjectNode from, ObjectNode to) {
        from.properties().forEach(field -> {
            if (!to.has(field.getKey())) {
                to.set(field.getKey(), field.getValue());
            }
        });
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
        Map<String, String> map = HashMap.newHashMap(object.size());
        object.properties().forEach(e -> map.put(e.getKey(), e.getValue().asString("")));
        return Map.copyOf(map);
    }

    /**
     * The same state at another version: a draft when its version is known, and an object that was deleted or that left a
     * selector as it is shown.
     */
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
        return new StoredObject(namespace, name, uid, other, labels, fields, changed, bodyOffset);
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

    /** The value of a selectable field; null if the object has none. */
    public @Nullable String field(String path) {
        return switch (path) {
            case "metadata.name" -> name;
            case "metadata.namespace" -> namespace;
            default -> {
                String known = fields.get(path);
                yield known != null || !fields.isEmpty() ? known : inBody(path);
            }
        };
    }

    /** A field that a custom resource's definition makes selectable: too rare to be kept apart. Empty where it is not set. */
    private @Nullable String inBody(String path) {
        JsonNode value = Json.at(tree(), path.split("\\.", -1));
        return value == null || value.isContainer() ? "" : value.asString();
    }

    /** The object as JSON; do not change it. */
    public byte[] json() {
        return json;
    }

    /** Where in {@link #json()} the part begins that follows kind and apiVersion: {@code "metadata":…}. */
    public int bodyOffset() {
        return bodyOffset;
    }

    /** The object as a tree of the caller's own. */
    public ObjectNode tree() {
        return (ObjectNode) Json.read(json);
    }
}
