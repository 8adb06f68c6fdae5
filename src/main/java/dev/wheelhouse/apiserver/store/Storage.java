package dev.wheelhouse.apiserver.store;

import java.nio.file.Path;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Where writes are kept beyond this process. The store shows a write to nobody, not even to its writer, before
 * {@link #commit} has returned; what has been committed is there after a restart, at the same version. One thread calls at a
 * time.
 */
public interface Storage extends AutoCloseable {
    /**
     * Opens it and hands all that is kept to the reader, in version order. Called once, before anything else.
     *
     * @throws StorageException if it cannot be used: in use elsewhere, not writable, or damaged
     */
    Recovered load(Reader reader);

    /**
     * Keeps writes, all that are given or, if the process dies meanwhile, the first of them.
     *
     * @param writes in version order, without gaps
     * @throws StorageException if it cannot; then nothing of it is kept, and {@link #resume} has to succeed before the next
     */
    void commit(List<Write> writes);

    /**
     * Makes it ready to take writes again after a commit that failed.
     *
     * @param version the version of the last write that was committed; everything after it is forgotten
     * @throws StorageException if it still cannot take any
     */
    default void resume(long version) {}

    /** Looks, without writing, whether there is room. @throws StorageException if a write would fail */
    default void check() {}

    /** Whether {@link #commit} does anything. */
    boolean isDurable();

    @Override
    void close();

    /**
     * One write.
     *
     * @param key the object's key in its resource
     * @param previous the version of the state that this one replaces; 0 if there was none
     * @param json the object, or null for a deletion
     */
    record Write(long version, String resource, String key, long previous, byte @Nullable [] json) {}

    /**
     * What was found.
     *
     * @param compacted every write after this version is kept; of those up to it, only the states that were current at it
     * @param version the last version that was used
     */
    record Recovered(long compacted, long version) {}

    /** Receives what was kept. */
    interface Reader {
        /** A state that was current at the compacted version. */
        void object(long version, String resource, byte[] json);

        /** A write after the compacted version. @param json null for a deletion */
        void change(long version, String resource, String key, byte @Nullable [] json);
    }

    /**
     * Keeps everything in files of a directory, which is made if it is missing and which one process at a time may use. A
     * committed write survives the death of the process at any moment.
     *
     * @param writes how many of the last writes are kept as such, so that watches may resume from them after a restart
     * @param fsync whether a commit waits for the disk, and so survives a loss of power too; writes that come at the same time
     *        share one wait
     */
    static Storage inDirectory(Path directory, int writes, boolean fsync) {
        return new DirectoryStorage(directory, writes, fsync);
    }

    /** Keeps nothing. */
    static Storage inMemory() {
        return new Storage() {
            @Override
            public Recovered load(Reader reader) {
                return new Recovered(0, 0);
            }

            @Override
            public void commit(List<Write> writes) {
                // The process' memory is all there is.
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
