package dev.wheelhouse.client.decode;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.client.ModelClass;

/**
 * The memory of the decoders of one client: the order in which the fields of a class come, the values that repeat, and
 * the points in time that were read last. Objects that are read with the same memory share their equal parts. A memory
 * belongs to the client that makes it. Thread safe: a race between two threads may lose an entry, and a missing entry
 * costs time only.
 *
 * <p>The memory is bounded. Of interned values it holds a limited number of bytes, counted as the bytes that they were
 * decoded from; at the limit it forgets all of them. It also holds at most 2048 values of one field, and 2048 points in
 * time.
 */
public final class DecoderMemory {
    private static final Logger log = LoggerFactory.getLogger(DecoderMemory.class);
    private static final long MOST_BYTES = 16L << 20;

    private final Map<Class<?>, ModelShape> shapes = new ConcurrentHashMap<>();
    private final Map<WireType, WireShape> wireShapes = new ConcurrentHashMap<>();
    private final Queue<Interner> interners = new ConcurrentLinkedQueue<>();
    private final AtomicLong bytes = new AtomicLong();
    private final long mostBytes;
    private final Times times = new Times();
    /** The key of the fingerprints of {@link KnownVersion}. */
    private final long fingerprintKey = new SplittableRandom().nextLong();
    private final @Nullable DecodedObjects objects;

    /** The models that lack a field which the server has sent. */
    private final Set<Class<?>> incomplete = ConcurrentHashMap.newKeySet();

    private record WireType(Class<?> model, String typeName) {}

    /** A memory for at most 16 MiB of interned values. */
    public DecoderMemory() {
        this(MOST_BYTES);
    }

    DecoderMemory(long mostBytes) {
        this(mostBytes, null);
    }

    private DecoderMemory(long mostBytes, @Nullable DecodedObjects objects) {
        this.mostBytes = mostBytes;
        this.objects = objects;
    }

    /** A memory for the clients of an API server in this process, whose bytes never change. It keeps whole objects. */
    public static DecoderMemory ofOneProcess() {
        return new DecoderMemory(MOST_BYTES, new DecodedObjects());
    }

    /** Notes that the server has sent a field which a class does not have. */
    void missed(Class<?> model, String field) {
        if (model != PartialObjectMetadata.class && incomplete.add(model)) {
            String text = field.replaceAll("[^\\w -]", "?");
            log.info("The API server has a field that {} does not have: {}. Updates of such objects read them first, "
                    + "so that they keep it.", model.getSimpleName(), text.substring(0, Math.min(text.length(), 64)));
        }
    }

    /** Whether objects of a class may have had fields that the class, or one of a field, does not have. */
    boolean isIncomplete(Class<?> model) {
        return !incomplete.isEmpty() && (!ModelClass.isModel(model) || misses(model, new HashSet<>()));
    }

    private boolean misses(Type type, Set<Type> seen) {
        if (type instanceof ParameterizedType collection) {
            return Stream.of(collection.getActualTypeArguments()).anyMatch(inner -> misses(inner, seen));
        }
        return type instanceof Class<?> model && ModelClass.isModel(model) && seen.add(model)
                && (incomplete.contains(model) || ModelClass.of(model).properties().stream()
                        .anyMatch(property -> misses(property.type(), seen)));
    }

    /** The objects that were decoded last; null if none are kept. */
    @Nullable
    DecodedObjects objects() {
        return objects;
    }

    ModelShape shape(Class<?> model) {
        ModelShape known = shapes.get(model);
        return known != null ? known : shapes.computeIfAbsent(model, m -> new ModelShape(m, this));
    }

    /** The shape of a model class in protobuf, where the class stands for the type of this name. */
    WireShape wireShape(Class<?> model, String typeName) {
        WireType key = new WireType(model, typeName);
        WireShape known = wireShapes.get(key);
        return known != null ? known : wireShapes.computeIfAbsent(key, k -> new WireShape(model, typeName, this));
    }

    /** @param delimited whether the ends of values are known before their bytes are compared */
    Interner newInterner(boolean delimited) {
        Interner made = new Interner(this, delimited);
        interners.add(made);
        return made;
    }

    long fingerprintKey() {
        return fingerprintKey;
    }

    Times times() {
        return times;
    }

    /**
     * Accounts for bytes that an interner is about to hold. If there is no room for them, every interner forgets its
     * values.
     *
     * @return whether there is room
     */
    boolean reserve(int more) {
        if (bytes.addAndGet(more) <= mostBytes) {
            return true;
        }
        interners.forEach(Interner::forget);
        bytes.set(0);
        return false;
    }

    /** The bytes that were reserved since the memory last forgot its values; the interners hold no more than these. */
    long bytes() {
        return bytes.get();
    }
}
