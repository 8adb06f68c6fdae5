package dev.wheelhouse.apiserver.protocol;

import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.store.StoredObject;

/**
 * What objects were turned into of late, other than the JSON that they are stored as: one write, a thousand watchers, one
 * serialisation for each form that any of them asks for (upstream: the caching objects of
 * {@code apiserver/pkg/storage/cacher}). The oldest ones go first. Thread safe.
 */
final class Renditions {
    private static final int ENTRIES = 1_024;
    /** Of the objects and of what they were turned into. */
    private static final long BYTES = 16 * 1024 * 1024;

    private final ReentrantLock lock = new ReentrantLock();
    /** In the order in which they were first asked for. Guarded by the lock. */
    private final SequencedMap<Key, Rendition> kept = new LinkedHashMap<>();
    /** Guarded by the lock. */
    private long bytes;

    /** Objects are told apart by their identity: each version of one is a new one. */
    private record Key(StoredObject object, String form) {}

    /** Made by the first who asks; the others wait for it. */
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
     * The object in a form. The bytes are shared and must not be changed.
     *
     * @param form names all that the bytes depend on besides the object
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

    /** What an object is turned into is about as large as itself. */
    private static long weight(Key key) {
        return 2L * key.object.json().length;
    }
}
