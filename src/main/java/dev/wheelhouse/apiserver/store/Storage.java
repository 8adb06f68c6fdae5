package dev.wheelhouse.apiserver.store;

import java.nio.file.Path;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Stores writes beyond the life of this process. The {@link ObjectStore} shows a write to nobody, not even to its
 * writer, before {@link #commit} has returned. Committed writes are there after a restart, at the same versions. The
 * store calls it from one thread at a time.
 */
public interface Storage extends AutoCloseable {
    /**
     * Opens the storage and passes everything in it to the reader, in version order. Called once, before all else.
     *
     * @throws StorageException if the storage is in use by another process, not writable, or damaged
     */
    Recovered load(Reader reader);

    /**
     * Stores writes. If the process dies meanwhile, some of them may be stored, without a gap from the first on.
     *
     * @param writes in version order, without gaps
     * @throws StorageException if the writes cannot be stored. Then none of them counts as stored, and {@link #resume}
     *         must succeed before the next commit. After any other exception or error, whether they are stored shows at
     *         the next start, and nothing but {@link #close} may be called
     */
    void commit(List<Write> writes);

    /**
     * Makes the storage ready for writes again after a failed commit.
     *
     * @param version the version of the last committed write; all writes after it are removed
     * @throws StorageException if the storage still takes no writes
     */
    default void resume(long version) {}

    /** Checks, without writing, whether there is room; {@link StorageException} if a write would fail. */
    default void check() {}

    /** Whether writes outlive the process; if not, {@link #commit} does nothing. */
    boolean isDurable();

    @Override
    void close();

    /**
     * One write.
     *
     * @param key the object's key within its resource
     * @param previous the version of the replaced state; 0 if there was none
     * @param json the object; null for a deletion
     */
    record Write(long version, String resource, String key, long previous, byte @Nullable [] json) {}

    /**
     * The range of versions that a storage holds.
     *
     * @param compacted all writes after this version are kept; before it, only the states that were current at it
     * @param version the version of the last write
     */
    record Recovered(long compacted, long version) {}

    /** Receives the stored writes. */
    interface Reader {
        /** A state that was current at the compacted version. */
        void object(long version, String resource, byte[] json);

        /** A write after the compacted version; a deletion has no JSON. */
        void change(long version, String resource, String key, byte @Nullable [] json);
    }

    /**
     * Stores writes in files of a directory. The directory is created if it is missing; one process at a time may use
     * it. A committed write survives the death of the process at any moment.
     *
     * @param writes how many of the last writes are kept, so that watches can resume from them after a restart
     * @param fsync whether a commit waits for the disk, so that it survives a power failure, too; concurrent writes
     *         share one wait
     */
    static Storage inDirectory(Path directory, int writes, boolean fsync) {
        return new DirectoryStorage(directory, writes, fsync);
    }

    /** Stores nothing. */
    static Storage inMemory() {
        return new Storage() {
            @Override
            public Recovered load(Reader reader) {
                return new Recovered(0, 0);
            }

            @Override
            public void commit(List<Write> writes) {
                // The store itself holds everything.
            }

            @Override
            public boolean isDurable() {
                return false;
            }

            @Override
            public void close() {
                // Nothing is open.
            }
        };
    }
}
