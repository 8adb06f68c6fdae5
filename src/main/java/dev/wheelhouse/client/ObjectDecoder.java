package dev.wheelhouse.client;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;

/**
 * Decodes the bytes of one object of one type. {@code metadata.managedFields} is dropped; {@code apiVersion} and {@code kind},
 * which list items lack, are filled in. A type whose kind is not known, "", takes any kind as it comes. Thread safe.
 */
final class ObjectDecoder<T extends KubernetesObject> {
    private final ResourceType type;
    /** Made when it is needed: an informer may never need it, and making it takes longer than reading thousands of objects. */
    private volatile ModelJson.@Nullable Reader<T> reader;
    private final Class<T> model;
    private final boolean metadataOnly;
    /** Whether objects are to be cached: then they are read by {@link ModelShape}, share what is equal, and must not be changed. */
    private final boolean shared;

    ObjectDecoder(ResourceType type, Class<T> model, boolean metadataOnly) {
        this(type, model, metadataOnly, false);
    }

    private ObjectDecoder(ResourceType type, Class<T> model, boolean metadataOnly, boolean shared) {
        this.type = type;
        this.model = model;
        this.shared = shared && ModelShape.isModel(model);
        this.metadataOnly = metadataOnly;
    }

    /** The same for objects that go into a cache and are not changed there. */
    ObjectDecoder<T> forCaches() {
        return new ObjectDecoder<>(type, model, metadataOnly, true);
    }

    /** Reads an object that is all of these bytes and as it should be; null for anything else, which {@link #decode} explains. */
    @Nullable
    T decodeRegular(byte[] bytes, int from, int to) {
        if (!shared) {
            return null;
        }
        T object = read(bytes, from, to);
        if (object == null || object.getKind() == null || object.getApiVersion() == null || metadataOnly
                || !object.getKind().equals(type.kind()) || object.getMetadata() == null
                || object.getMetadata().getName() == null || object.getMetadata().getName().isEmpty()) {
            return null;
        }
        return object;
    }

    /**
     * Reads an object that begins where the cursor stands, as an item of a list; null, and the cursor anywhere, for what is not
     * regular, or not all there.
     */
    @Nullable
    T decodeItem(JsonBytes in) {
        if (!shared || metadataOnly || type.kind().isEmpty()) {
            return null;
        }
        try {
            T object = model.cast(ModelShape.of(model).read(in, 0));
            if (object.getKind() != null && !object.getKind().equals(type.kind()) || object.getMetadata() == null
                    || object.getMetadata().getName() == null || object.getMetadata().getName().isEmpty()) {
                return null;
            }
            if (object.getKind() == null || object.getApiVersion() == null) {
                fillIn(object);
            }
            return object;
        } catch (JsonBytes.Irregular e) {
            return null;
        }
    }

    private @Nullable T read(byte[] bytes, int from, int to) {
        JsonBytes in = new JsonBytes(bytes, from, to);
        try {
            Object object = ModelShape.of(model).read(in, 0);
            return in.isAtEnd() ? model.cast(object) : null;
        } catch (JsonBytes.Irregular e) {
            return null;
        }
    }

    /**
     * Decodes the answer to a request about one object. The kind may be another one, as that of {@code deployments/scale}: what
     * fits the model is read.
     */
    T decodeAnswer(byte[] bytes) throws UndecodableException {
        return decode(bytes, 0, bytes.length, true);
    }

    /** @throws UndecodableException if the object does not fit the model, is another kind, or has no name */
    T decode(byte[] bytes, int from, int to) throws UndecodableException {
        return decode(bytes, from, to, metadataOnly);
    }

    private T decode(byte[] bytes, int from, int to, boolean anyKind) throws UndecodableException {
        T object = shared ? read(bytes, from, to) : null;
        try {
            if (object == null) {
                object = reader().read(bytes, from, to);
            }
        } catch (JacksonException e) {
            throw new UndecodableException(failure(bytes, from, to, field(e), e.getOriginalMessage()), e);
        }
        if (object == null) {
            throw new UndecodableException(new DecodeFailure(type.groupResource(), "", "it is null"));
        }
        String kind = object.getKind();
        if (kind != null && !kind.equals(type.kind()) && !anyKind && !type.kind().isEmpty()) {
            throw new UndecodableException(
                    new DecodeFailure(type.groupResource(), "kind", "expected " + type.kind() + ", got " + kind));
        }
        if (object.getMetadata() == null || object.getMetadata().getName() == null
                || object.getMetadata().getName().isEmpty()) {
            throw new UndecodableException(new DecodeFailure(type.groupResource(), "metadata.name", "it is missing"));
        }
        if ((kind == null || metadataOnly || object.getApiVersion() == null) && !type.kind().isEmpty()) {
            fillIn(object);
        }
        return object;
    }

    private ModelJson.Reader<T> reader() {
        ModelJson.Reader<T> known = reader;
        if (known == null) {
            known = ModelJson.reader(model);
            reader = known;
        }
        return known;
    }

    private void fillIn(T object) {
        if (shared) {
            ModelShape.of(model).fillIn(object, type.apiVersion(), type.kind());
        } else {
            ModelJson.fillIn(object, type.apiVersion(), type.kind());
        }
    }

    private DecodeFailure failure(byte[] bytes, int from, int to, String field, String problem) {
        String resource = type.groupResource();
        try {
            JsonNode meta = ModelJson.tree(bytes, from, to).path("metadata");
            String namespace = text(meta, "namespace");
            String name = text(meta, "name");
            if (name != null) {
                ObjectKey key = new ObjectKey(namespace == null ? "" : namespace, name);
                return new DecodeFailure(resource + " " + key, field, problem, key);
            }
        } catch (JacksonException e) {
            // Not even JSON: the type is all there is to say.
        }
        return new DecodeFailure(resource + " (no readable metadata.name)", field, problem);
    }

    private static @Nullable String text(JsonNode node, String field) {
        JsonNode value = node.get(field);
        return value != null && value.isString() && !value.stringValue().isEmpty() ? value.stringValue() : null;
    }

    private static String field(JacksonException e) {
        StringBuilder path = new StringBuilder();
        for (JacksonException.Reference step : e.getPath()) {
            String name = step.getPropertyName();
            if (name == null) {
                path.append('[').append(step.getIndex()).append(']');
            } else {
                path.append(path.isEmpty() ? "" : ".").append(name);
            }
        }
        return path.toString();
    }
}
