package dev.wheelhouse.client.decode;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1DeleteOptions;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Preconditions;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.DeserializationProblemHandler;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.DecodeFailure;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.ModelClass;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;
import dev.wheelhouse.runtime.OutOfMemory;

/**
 * Decodes the objects of one resource type: one object, a list, or a watch. Drops {@code metadata.managedFields}, and
 * fills in {@code apiVersion} and {@code kind}, which list items lack. If the type's kind is not known, which an empty
 * text means, any kind is accepted and nothing is filled in. Thread safe.
 */
public final class ObjectDecoder<T extends KubernetesObject> {
    /**
     * The facts have no type for metadata alone, so the metadata of a Pod is read: all types have the same metadata in
     * the same protobuf field.
     */
    private static final String ANY_WITH_METADATA = "io.k8s.api.core.v1.Pod";

    private static final String DELETE_OPTIONS = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";

    private final ResourceType type;
    private final Class<T> model;
    private final boolean metadataOnly;
    private final DecoderMemory memory;
    private final boolean forCaches;
    /** The facts' name of the type, if its messages are known in protobuf. */
    private final @Nullable String wireType;
    /** Reads objects for caches; null in a decoder of other objects, or of a class that is not a model. */
    private final @Nullable ModelShape shape;
    /** Reads objects in protobuf; made for the first one. */
    private volatile @Nullable WireShape wireShape;
    /**
     * The full parser, made for the first object that needs it. Many informers never do, and making it takes
     * milliseconds.
     */
    private volatile @Nullable ObjectReader reader;

    private ObjectDecoder(ResourceType type, Class<T> model, boolean metadataOnly, DecoderMemory memory,
            boolean forCaches) {
        this.type = type;
        this.model = model;
        this.metadataOnly = metadataOnly;
        this.memory = memory;
        this.forCaches = forCaches;
        this.wireType = wireType(type, model);
        this.shape = forCaches && ModelClass.isModel(model) ? memory.shape(model) : null;
    }

    /** A decoder whose objects share nothing, so that the caller may change them. */
    public static <T extends KubernetesObject> ObjectDecoder<T> of(ResourceType type, Class<T> model,
            DecoderMemory memory) {
        return new ObjectDecoder<>(type, model, false, memory, false);
    }

    /**
     * A decoder of answers of the kind PartialObjectMetadata, which hold the metadata of a type's objects.
     *
     * @param model PartialObjectMetadata, or the class of the objects, which then have nothing else
     */
    public static <T extends KubernetesObject> ObjectDecoder<T> ofMetadata(ResourceType type, Class<T> model,
            DecoderMemory memory) {
        return new ObjectDecoder<>(type, model, true, memory, false);
    }

    /**
     * The same decoder for the objects of caches. It is several times faster. Its objects share their equal parts, so
     * they must not be changed.
     */
    public ObjectDecoder<T> forCaches() {
        return new ObjectDecoder<>(type, model, metadataOnly, memory, true);
    }

    private static @Nullable String wireType(ResourceType type, Class<?> model) {
        TypeSchema schema = Schemas.ofKind(type.apiVersion(), type.kind());
        TypeSchema.Field metadata = schema == null ? null : schema.field("metadata");
        if (model == PartialObjectMetadata.class) {
            return ANY_WITH_METADATA;
        }
        return schema != null && metadata != null && !metadata.numbers().isEmpty() && ModelClass.isModel(model)
                ? schema.name()
                : null;
    }

    /**
     * Whether this decoder reads protobuf: the objects of the built-in types into the official client's models, and the
     * metadata of all types.
     */
    public boolean readsProtobuf() {
        return wireType != null;
    }

    /** Whether the server has sent fields of such objects that their class does not have. */
    public boolean isIncomplete() {
        return memory.isIncomplete(model);
    }

    /** Writes an object in protobuf. @throws IllegalStateException if this decoder does not read protobuf */
    public byte[] write(T object) {
        if (wireType == null) {
            throw new IllegalStateException(type + " is not written in protobuf");
        }
        return new WireWriter(memory).write(object, type.apiVersion(), type.kind(), wireType);
    }

    /** Writes the options of a delete in protobuf. */
    public byte[] write(Deletion deletion) {
        V1DeleteOptions options = new V1DeleteOptions().gracePeriodSeconds(deletion.gracePeriodSeconds())
                .propagationPolicy(deletion.propagation()).dryRun(null);
        if (deletion.uid() != null || deletion.resourceVersion() != null) {
            options.setPreconditions(
                    new V1Preconditions().uid(deletion.uid()).resourceVersion(deletion.resourceVersion()));
        }
        return new WireWriter(memory).write(options, "v1", "DeleteOptions", DELETE_OPTIONS);
    }

    /**
     * Reads the answer to a request about one object. Its kind may differ from the type's, as that of
     * {@code deployments/scale} does; the fields that the model has are read. A review, which is not stored, has no
     * name.
     *
     * @param tried the request, for the message
     * @throws KubeApiException if the answer does not decode
     */
    public T readAnswer(String tried, byte[] bytes) {
        List<DecodeFailure> failures = new ArrayList<>(1);
        T object = WireEnvelope.begins(bytes, 0, bytes.length)
                ? decodeWireAnswer(bytes, failures::add)
                : decodeRegular(bytes, 0, bytes.length);
        if (object == null && failures.isEmpty()) {
            object = decode(bytes, 0, bytes.length, true, false, failures::add);
        }
        if (object == null) {
            throw new KubeApiException(tried + ": the answer cannot be decoded",
                    new IOException(failures.getFirst().toString()));
        }
        return object;
    }

    /**
     * Reads a list as it arrives. An item that does not decode is skipped and reported. The buffer grows to the largest
     * item, not to the whole list.
     *
     * @param protobuf whether the list is protobuf; else it is JSON
     * @throws IOException if the stream breaks, or the answer is not a list
     */
    public ListPage<T> readList(InputStream body, boolean protobuf) throws IOException {
        return protobuf ? new WireListReader<>(this, body).read() : new ListReader<>(this).read(body);
    }

    /**
     * Reads the events of a watch that come one by one.
     *
     * @param tried the request, for messages
     */
    public WatchEvents<T> events(String tried) {
        return new WatchEvents<>(tried, this);
    }

    /**
     * Reads the events of a watch as they arrive.
     *
     * @param tried the request, for messages
     * @param protobuf whether the events are protobuf; else they are JSON
     * @param beforeRead called before each read of the stream, which may wait
     * @param cache the objects with which the events' objects may share their parts
     */
    public WatchReader<T> readWatch(String tried, InputStream body, boolean protobuf, Runnable beforeRead,
            Function<ObjectKey, @Nullable T> cache) {
        return protobuf
                ? new WireWatchReader<>(tried, body, beforeRead, this, cache)
                : new JsonWatchReader<>(tried, body, beforeRead, this);
    }

    /**
     * Reads the object that begins at the cursor for a cache. Returns null, with the cursor anywhere, if the object is
     * irregular, wrong or incomplete, or if this decoder is not for caches; {@link #decode} then decides.
     */
    @Nullable
    T decodeRegular(JsonCursor in) {
        if (shape == null) {
            return null;
        }
        try {
            T object = model.cast(shape.read(in, 0));
            if (problem(object, metadataOnly, true) != null) {
                return null;
            }
            fillIn(object);
            return object;
        } catch (JsonCursor.Irregular e) {
            return null;
        }
    }

    /** As {@link #decodeRegular(JsonCursor)}, for an object that is all of these bytes. */
    @Nullable
    T decodeRegular(byte[] bytes, int from, int to) {
        DecodedObjects objects = from == 0 && to == bytes.length ? memory.objects() : null;
        if (objects == null || shape == null) {
            return readRegular(bytes, from, to);
        }
        Object known = objects.get(bytes, shape);
        if (known != null) {
            return model.cast(known);
        }
        T object = readRegular(bytes, from, to);
        if (object != null) {
            objects.put(bytes, shape, object);
        }
        return object;
    }

    private @Nullable T readRegular(byte[] bytes, int from, int to) {
        JsonCursor in = new JsonCursor(bytes, from, to);
        T object = decodeRegular(in);
        return object != null && in.isAtEnd() ? object : null;
    }

    /**
     * Reads an object of any form. Fails if the object does not fit the model, is of another kind, or has no name.
     *
     * @param failed receives the failure; the result is null then
     */
    @Nullable
    T decode(byte[] bytes, int from, int to, Consumer<DecodeFailure> failed) {
        T object = decodeRegular(bytes, from, to);
        return object != null ? object : decode(bytes, from, to, metadataOnly, true, failed);
    }

    private @Nullable T decode(byte[] bytes, int from, int to, boolean anyKind, boolean named,
            Consumer<DecodeFailure> failed) {
        T object;
        try {
            object = reader().readValue(bytes, from, to - from);
        } catch (JacksonException e) {
            failed.accept(failure(bytes, from, to, field(e), e.getOriginalMessage()));
            return null;
        } catch (RuntimeException | Error e) {
            // The code of a user's class may throw anything, and keeps no other object from the cache.
            OutOfMemory.check(e);
            failed.accept(failure(bytes, from, to, "", "its class threw " + e));
            return null;
        }
        if (object == null) {
            failed.accept(new DecodeFailure(type.groupResource(), "", "it is null"));
            return null;
        }
        DecodeFailure problem = problem(object, anyKind, named);
        if (problem != null) {
            failed.accept(problem);
            return null;
        }
        fillIn(object);
        return object;
    }

    private @Nullable T decodeWireAnswer(byte[] bytes, Consumer<DecodeFailure> failed) {
        try {
            return decodeWire(bytes, WireEnvelope.of(bytes, 0, bytes.length), null, false, failed);
        } catch (WireException e) {
            failed.accept(new DecodeFailure(type.groupResource(), e.field(), e.problem()));
            return null;
        }
    }

    /**
     * Reads an object in protobuf from its envelope.
     *
     * @param cache the objects with which this one may share its parts
     * @param failed receives the failure; the result is null then
     */
    @Nullable
    T decodeWire(byte[] bytes, WireEnvelope envelope, Function<ObjectKey, @Nullable T> cache,
            Consumer<DecodeFailure> failed) {
        return decodeWire(bytes, envelope, version(cache), true, failed);
    }

    private @Nullable T decodeWire(byte[] bytes, WireEnvelope envelope, @Nullable KnownVersion version, boolean named,
            Consumer<DecodeFailure> failed) {
        if (!metadataOnly && !envelope.kind().isEmpty() && !envelope.kind().equals(type.kind())) {
            failed.accept(new DecodeFailure(type.groupResource(), "kind",
                    "expected " + type.kind() + ", got " + envelope.kind()));
            return null;
        }
        WireCursor in = envelope.cursor(bytes);
        in.version = version;
        return decodeWire(in, named, failed);
    }

    /**
     * Reads the object that is all of a cursor's bytes.
     *
     * @param failed receives the failure; the result is null then
     */
    @Nullable
    T decodeWire(WireCursor in, Consumer<DecodeFailure> failed) {
        in.version = version(key -> null);
        return decodeWire(in, true, failed);
    }

    private @Nullable T decodeWire(WireCursor in, boolean named, Consumer<DecodeFailure> failed) {
        int from = in.at;
        DecodeFailure problem;
        try {
            T object = model.cast(wireShape().read(in, in.end, 0));
            problem = problem(object, metadataOnly, named);
            if (problem == null) {
                fillIn(object);
                return forCaches ? object : ModelJson.copy(object);
            }
        } catch (WireException e) {
            problem = failure(new WireCursor(in.bytes, from, in.end), e);
        }
        failed.accept(problem);
        return null;
    }

    private @Nullable KnownVersion version(Function<ObjectKey, @Nullable T> cache) {
        return forCaches ? new KnownVersion(cache, memory.fingerprintKey()) : null;
    }

    private WireShape wireShape() {
        WireShape known = wireShape;
        if (known == null) {
            if (wireType == null) {
                throw new WireException("objects of this type are not read in protobuf");
            }
            known = memory.wireShape(model, wireType);
            wireShape = known;
        }
        return known;
    }

    private DecodeFailure failure(WireCursor in, WireException e) {
        try {
            V1ObjectMeta meta = wireMetadata(in);
            if (meta.getName() != null && !meta.getName().isEmpty()) {
                ObjectKey key = new ObjectKey(meta.getNamespace() == null ? "" : meta.getNamespace(), meta.getName());
                return new DecodeFailure(type.groupResource() + " " + key, e.field(), e.problem(), key);
            }
        } catch (WireException unreadable) {
            // The metadata is wrong too, so there is no name to report.
        }
        return new DecodeFailure(type.groupResource() + " (no readable metadata.name)", e.field(), e.problem());
    }

    /** Reads the metadata of an object of any type. @throws WireException if the bytes are no such object */
    V1ObjectMeta wireMetadata(WireCursor in) {
        Object read = memory.wireShape(PartialObjectMetadata.class, ANY_WITH_METADATA).read(in, in.end, 0);
        return ((PartialObjectMetadata) read).getMetadata();
    }

    private @Nullable DecodeFailure problem(T object, boolean anyKind, boolean named) {
        String kind = object.getKind();
        if (kind != null && !anyKind && !type.kind().isEmpty() && !kind.equals(type.kind())) {
            return new DecodeFailure(type.groupResource(), "kind", "expected " + type.kind() + ", got " + kind);
        }
        if (named && (object.getMetadata() == null || object.getMetadata().getName() == null
                || object.getMetadata().getName().isEmpty())) {
            return new DecodeFailure(type.groupResource(), "metadata.name", "it is missing");
        }
        return null;
    }

    private void fillIn(T object) {
        if (type.kind().isEmpty() || (object.getKind() != null && object.getApiVersion() != null && !metadataOnly)) {
            return;
        }
        ModelClass.fillIn(object, type.apiVersion(), type.kind());
    }

    private ObjectReader reader() {
        ObjectReader known = reader;
        if (known == null) {
            known = ModelJson.reader(model).withHandler(new DeserializationProblemHandler() {
                @Override
                public boolean handleUnknownProperty(DeserializationContext context, JsonParser in,
                        ValueDeserializer<?> deserializer, Object beanOrClass, String name) {
                    memory.missed(beanOrClass instanceof Class<?> one ? one : beanOrClass.getClass(), name);
                    in.skipChildren();
                    return true;
                }
            });
            reader = known;
        }
        return known;
    }

    private DecodeFailure failure(byte[] bytes, int from, int to, String field, String problem) {
        String resource = type.groupResource();
        try {
            JsonNode meta = ModelJson.tree(bytes, from, to).path("metadata");
            String name = text(meta, "name");
            if (!name.isEmpty()) {
                ObjectKey key = new ObjectKey(text(meta, "namespace"), name);
                return new DecodeFailure(resource + " " + key, field, problem, key);
            }
        } catch (JacksonException e) {
            // The bytes are not JSON, so there is no name to report.
        }
        return new DecodeFailure(resource + " (no readable metadata.name)", field, problem);
    }

    private static String text(JsonNode node, String field) {
        JsonNode value = node.path(field);
        return value.isString() ? value.stringValue() : "";
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
