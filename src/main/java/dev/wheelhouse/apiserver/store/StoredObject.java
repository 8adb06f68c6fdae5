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
    private final String namespace;
    private final String name;
    private final String uid;
    private final long version;
    private final Map<String, String> labels;
    private final Map<String, String> fields;
    private final byte[] json;
    private final int bodyOffset;

    private StoredObject(String namespace, String name, String uid, long version, Map<String, String> labels,
            Map<String, String> fields, byte[] json) {
        this.namespace = namespace;
        this.name = name;
        this.uid = uid;
        this.version = version;
        this.labels = labels;
        this.fields = fields;
        this.json = json;
        this.bodyOffset = bodyOffset(json);
    }

    /** Stamps the object with a version and serialises it. Changes its argument's {@code metadata.resourceVersion}. */
    static StoredObject of(String resource, ObjectNode object, long version) {
        ObjectNode meta = Json.child(object, "metadata");
        meta.put("resourceVersion", Long.toString(version));
        return new StoredObject(Json.text(meta, "namespace"), Json.text(meta, "name"), Json.text(meta, "uid"), version,
                labels(meta.get("labels")), SelectableFields.of(resource, object), Json.bytes(canonical(object)));
    }

    /** Kind, apiVersion and metadata first, so that a reader can cut or exchange the first two without parsing. */
    private static ObjectNode canonical(ObjectNode object) {
        ObjectNode out = Json.object();
        out.put("kind", Json.text(object, "kind"));
        out.put("apiVersion", Json.text(object, "apiVersion"));
        out.set("metadata", Json.child(object, "metadata"));
        object.properties().forEach(field -> {
            if (!out.has(field.getKey())) {
                out.set(field.getKey(), field.getValue());
            }
        });
        return out;
    }

    private static final byte[] METADATA = "\"metadata\":".getBytes(StandardCharsets.UTF_8);

    private static int bodyOffset(byte[] json) {
        for (int at = 0; at + METADATA.length <= json.length; at++) {
            if (Arrays.equals(json, at, at + METADATA.length, METADATA, 0, METADATA.length)) {
                return at;
            }
        }
        throw new IllegalArgumentException("an object without metadata");
    }

    private static Map<String, String> labels(@Nullable JsonNode labels) {
        if (!(labels instanceof ObjectNode object) || object.isEmpty()) {
            return Map.of();
        }
        Map<String, String> map = HashMap.newHashMap(object.size());
        object.properties().forEach(e -> map.put(e.getKey(), e.getValue().asString("")));
        return Map.copyOf(map);
    }

    /** The same state at a later version, as an object that was deleted, or that left a selector, is shown. */
    StoredObject atVersion(long later) {
        ObjectNode tree = tree();
        Json.child(tree, "metadata").put("resourceVersion", Long.toString(later));
        return new StoredObject(namespace, name, uid, later, labels, fields, Json.bytes(tree));
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
