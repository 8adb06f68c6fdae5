package dev.wheelhouse.client.decode;

import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

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
