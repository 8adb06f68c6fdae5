package dev.wheelhouse.apiserver.protocol;

import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.store.StoredObject;

/**
 * A cache of encoded objects. After one write, many watchers ask for the same object in the same form, and it is
 * encoded once for each form (upstream: the caching objects of {@code apiserver/pkg/storage/cacher}). The cache is
 * bounded by entries and bytes; the oldest entries go first. Thread safe.
 */
final class EncodedObjects {
    private static final int ENTRIES = 1_024;
    /** The estimated bytes of all objects and their encodings. */
    private static final long BYTES = 16 * 1024 * 1024;

    private final ReentrantLock lock = new ReentrantLock();
    /** In the order of insertion. Guarded by the lock. */
    private final SequencedMap<Key, Rendition> kept = new LinkedHashMap<>();
    /** Guarded by the lock. */
    private long bytes;

    /** Objects are compared by identity, because each version of an object is a new instance. */
    private record Key(StoredObject object, String form) {}

    /** The first thread that asks encodes the object, and the others wait for it. */
    private static final class Rendition {
        private final ReentrantLock making = new ReentrantLock();
        private byte @Nullable [] made;

        byte[] bytes(Supplier<byte[]> make) {
            making.lock();
            try {
                byte[] known = made;
                if (known == null) {
                    known = make.get();
                    made = known;
                }
                return known;
            } finally {
                making.unlock();
            }
        }
    }

    /**
     * Returns the object in a form. The bytes are shared and must not be changed.
     *
     * @param form identifies everything that the bytes depend on besides the object
     * @param make encodes the object
     */
    byte[] of(StoredObject object, String form, Supplier<byte[]> make) {
        Key key = new Key(object, form);
        Rendition rendition;
        lock.lock();
        try {
            rendition = kept.get(key);
            if (rendition == null) {
                rendition = new Rendition();
                kept.put(key, rendition);
                bytes += weight(key);
                trim();
            }
        } finally {
            lock.unlock();
        }
        return rendition.bytes(make);
    }

    private void trim() {
        while (kept.size() > ENTRIES || bytes > BYTES && kept.size() > 1) {
            bytes -= weight(kept.pollFirstEntry().getKey());
        }
    }

    /** The size of the object and its encoding, which is about as large as the object. */
    private static long weight(Key key) {
        return 2L * key.object.json().length;
    }
}
