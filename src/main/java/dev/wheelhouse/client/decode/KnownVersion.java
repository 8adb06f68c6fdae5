package dev.wheelhouse.client.decode;

import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.ObjectKey;

/**
 * The version of an object that a cache has, while the next version of it is read from a watch. Most updates change one
 * of metadata, spec and status. The parts that did not change are not decoded: the new version shares them with the
 * cached one, so that they need no memory, and the collector copies them once and not once for each update.
 *
 * <p>A part is recognised by a fingerprint of its bytes of 64 bits, with a random key. Of 2^64 changes of a part one is
 * not noticed. Made for one object; not thread safe.
 */
final class KnownVersion {
    /** Shorter parts are decoded. */
    private static final int SHORTEST = 48;

    private final Function<ObjectKey, ? extends @Nullable KubernetesObject> cache;
    private final long key;
    /** The fingerprints of the parts that were read. */
    private final long[] read = new long[2];
    private boolean searched;
    private @Nullable KubernetesObject cached;
    private PartFingerprints known = PartFingerprints.NONE;

    /** @param key the random key of the fingerprints; those of another key are never equal */
    KnownVersion(Function<ObjectKey, ? extends @Nullable KubernetesObject> cache, long key) {
        this.cache = cache;
        this.key = key;
    }

    /**
     * The index of a part: the parts that are compared are the fields 2 and 3, spec and status of most types.
     *
     * @param numbers the numbers of a field of a whole object
     * @return -1 for another field
     */
    static int part(List<Integer> numbers) {
        int number = numbers.size() == 1 ? numbers.getFirst() : 0;
        return number == 2 || number == 3 ? number - 2 : -1;
    }

    /**
     * Reads a part of the object, or takes it from the cached version.
     *
     * @param object the object as far as it was read
     * @param end the index after the part
     */
    @Nullable
    Object read(KubernetesObject object, WireShape.Slot slot, WireCursor in, int end) {
        long fingerprint = end - in.at < SHORTEST ? 0 : fingerprint(in.bytes, in.at, end);
        KubernetesObject before = fingerprint == 0 ? null : cached(object);
        Object value = before != null && known.ofPart(slot.part) == fingerprint ? slot.property.get(before) : null;
        if (value == null) {
            value = slot.reader().read(in, end, 0);
        }
        read[slot.part] = value == null ? 0 : fingerprint;
        return value;
    }

    /** A field has elements in more than one place of the message, so it has no fingerprint. */
    void forget(WireShape.Slot slot) {
        if (slot.part >= 0) {
            read[slot.part] = 0;
        }
    }

    private @Nullable KubernetesObject cached(KubernetesObject object) {
        V1ObjectMeta meta = object.getMetadata();
        if (!searched && meta != null && meta.getName() != null) {
            searched = true;
            KubernetesObject found = cache.apply(ObjectKey.of(object));
            if (found != null && found.getClass() == object.getClass()
                    && PartFingerprints.of(found) instanceof PartFingerprints fingerprints) {
                cached = found;
                known = fingerprints;
            }
        }
        return cached;
    }

    /** Ends the object, which then has the fingerprints of its own parts. */
    void end(KubernetesObject object) {
        V1ObjectMeta meta = object.getMetadata();
        if (meta != null && (read[0] != 0 || read[1] != 0)) {
            known.with(read[0], read[1]).attachTo(meta);
        }
    }

    /** The bytes must be 16 or more. */
    private long fingerprint(byte[] bytes, int from, int to) {
        long hash = key ^ (to - from);
        for (int i = from; i < to - 16; i += 16) {
            hash = mixed(WireCursor.longAt(bytes, i) ^ key, WireCursor.longAt(bytes, i + 8) ^ hash);
        }
        return mixed(WireCursor.longAt(bytes, to - 16) ^ key, WireCursor.longAt(bytes, to - 8) ^ hash);
    }

    private static long mixed(long a, long b) {
        return Math.unsignedMultiplyHigh(a, b) ^ a * b;
    }
}
