package dev.wheelhouse.apiserver.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

import org.h2.store.fs.FileBase;
import org.h2.store.fs.FilePath;
import org.h2.store.fs.FilePathWrapper;
import org.jspecify.annotations.Nullable;

/** A file system for the objects' file that a test can make full, read-only or broken. */
public final class FailingDisk extends FilePathWrapper {
    /** The words of an error of the disk that is none: the process runs out of memory while it writes. */
    static final String OUT_OF_MEMORY = "Cannot reserve bytes of direct buffer memory";
    private static final String SCHEME = "failingdisk";
    private static volatile @Nullable String error;
    /** The number of writes that still succeed before the error. */
    private static final AtomicLong LEFT = new AtomicLong();
    private static final AtomicLong READS_LEFT = new AtomicLong(Long.MAX_VALUE);

    static Storage storage(Path directory, int keep) {
        FilePath.register(new FailingDisk());
        return new DirectoryStorage(directory, keep, true, SCHEME + ":");
    }

    /** Lets some more writes succeed, then one write half of its bytes, and all fail. @param words the error message */
    static void failAfter(long writes, String words) {
        LEFT.set(writes);
        error = words;
    }

    /** Lets some more reads succeed, then one throws an error that no database expects. */
    static void overflowAfter(long reads) {
        READS_LEFT.set(reads);
    }

    static void mend() {
        READS_LEFT.set(Long.MAX_VALUE);
        error = null;
    }

    private static boolean fails() {
        return error != null && LEFT.getAndDecrement() <= 0;
    }

    private static IOException failure() {
        if (OUT_OF_MEMORY.equals(error)) {
            throw new OutOfMemoryError(error);
        }
        return new IOException(error);
    }

    @Override
    public String getScheme() {
        return SCHEME;
    }

    @Override
    public FileChannel open(String mode) throws IOException {
        return new Channel(getBase().open(mode));
    }

    private static final class Channel extends FileBase {
        private final FileChannel base;

        Channel(FileChannel base) {
            this.base = base;
        }

        @Override
        public int write(ByteBuffer bytes) throws IOException {
            return write(bytes, base.position());
        }

        @Override
        public synchronized int write(ByteBuffer bytes, long position) throws IOException {
            if (fails()) {
                ByteBuffer half = bytes.duplicate().limit(bytes.position() + bytes.remaining() / 2);
                if (LEFT.get() == -1) {
                    base.write(half, position);
                }
                throw failure();
            }
            return base.write(bytes, position);
        }

        @Override
        public void force(boolean metaData) throws IOException {
            if (fails()) {
                throw failure();
            }
            base.force(metaData);
        }

        @Override
        public FileChannel truncate(long size) throws IOException {
            if (fails()) {
                throw failure();
            }
            base.truncate(size);
            return this;
        }

        @Override
        public long size() throws IOException {
            return base.size();
        }

        @Override
        public long position() throws IOException {
            return base.position();
        }

        @Override
        public FileChannel position(long newPosition) throws IOException {
            base.position(newPosition);
            return this;
        }

        @Override
        public int read(ByteBuffer target) throws IOException {
            return base.read(target);
        }

        @Override
        public synchronized int read(ByteBuffer target, long position) throws IOException {
            if (READS_LEFT.getAndDecrement() == 0) {
                throw new StackOverflowError("as from reading a damaged page");
            }
            return base.read(target, position);
        }

        @Override
        public synchronized FileLock tryLock(long position, long size, boolean shared) throws IOException {
            return base.tryLock(position, size, shared);
        }

        @Override
        protected void implCloseChannel() throws IOException {
            base.close();
        }
    }
}
