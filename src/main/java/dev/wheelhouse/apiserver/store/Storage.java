package dev.wheelhouse.apiserver.store;

import org.jspecify.annotations.Nullable;

/**
 * Where committed writes are kept beyond this process. The store calls {@link #append} under its lock, in version order,
 * before anyone can see the write: when it throws, the write has not happened.
 */
public interface Storage {
    /** Hands all kept objects to the reader, once, before anything is appended. @return the last version that was used */
    long load(Reader reader);

    /** Keeps one write. @param json the object, or null for a deletion */
    void append(long version, String resource, String key, byte @Nullable [] json);

    /** Receives what was kept. */
    interface Reader {
        void object(String resource, byte[] json);
    }

    /** Keeps nothing. */
    static Storage inMemory() {
        return new Storage() {
            @Override
            public long load(Reader reader) {
                return 0;
            }

            @Override
            public void append(long version, String resource, String key, byte @Nullable [] json) {
                // The process' memory is all there is.
            }
        };
    }
}
