package dev.wheelhouse.client.decode;

import java.util.concurrent.atomic.AtomicReferenceArray;

import org.jspecify.annotations.Nullable;

/**
 * The objects that were decoded last, by their bytes. An API server in the same process gives the bytes of one write to
 * its sender and to all watches, so that only the first of these clients decodes them. Byte arrays are compared by
 * identity. Thread safe; a race may lose an entry, which costs time only.
 */
final class DecodedObjects {
    /** The number of objects, a power of two. */
    private static final int SIZE = 512;
    /** Larger objects are not kept, so that the memory is bounded. */
    private static final int MOST_BYTES = 32 * 1024;

    private final AtomicReferenceArray<@Nullable Decoded> last = new AtomicReferenceArray<>(SIZE);

    /** @param reader the decoder's reader; objects of different readers differ in their class */
    @SuppressWarnings("ArrayRecordComponent")
    private record Decoded(byte[] bytes, Object reader, Object object) {}

    @SuppressWarnings("ReferenceEquality")
    @Nullable
    Object get(byte[] bytes, Object reader) {
        Decoded known = last.get(slot(bytes));
        return known != null && known.bytes == bytes && known.reader == reader ? known.object : null;
    }

    void put(byte[] bytes, Object reader, Object object) {
        if (bytes.length <= MOST_BYTES) {
            last.set(slot(bytes), new Decoded(bytes, reader, object));
        }
    }

    private static int slot(byte[] bytes) {
        return System.identityHashCode(bytes) & SIZE - 1;
    }
}
