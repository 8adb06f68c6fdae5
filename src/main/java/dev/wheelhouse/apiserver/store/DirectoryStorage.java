package dev.wheelhouse.apiserver.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;

import org.h2.mvstore.Cursor;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.h2.mvstore.type.ByteArrayDataType;
import org.h2.mvstore.type.LongDataType;
import org.jspecify.annotations.Nullable;

/**
 * Keeps every write under its version in one map of an MVStore. From time to time the oldest writes are compacted: those that
 * a later one up to the compacted version replaced are removed, and so are deletions (upstream: etcd's {@code mvcc} keeps and
 * compacts revisions alike). Beside it stands the newest version that was acknowledged, so that a file that lost its end is
 * noticed. Nothing runs in the background: the committing thread tidies up.
 */
final class DirectoryStorage implements Storage {
    static final String FILE = "objects.mv.db";
    static final String NEWEST = "newest-version";
    private static final String COMPACTED = "compacted";
    private static final String FORMAT = "format";
    private static final String FORMAT_1 = "1";
    private static final String REMEDY = "choose another one with --wheelhouse.apiserver.data-dir=DIR";
    private static final int TIDY_EVERY = 512;
    private static final int TIDY_BYTES = 4 * 1024 * 1024;
    private static final int LEAST_FILLED_PERCENT = 50;
    private static final int REUSE_SPACE_AFTER_MS = 10_000;

    private final Path directory;
    private final int keep;
    private final boolean fsync;
    private @Nullable OpenFiles open;
    private long compacted;
    private long version;
    private int commits;

    private record OpenFiles(MVStore store, MVMap<Long, byte[]> writes, MVMap<String, String> facts,
            FileChannel newest) {}

    DirectoryStorage(Path directory, int keep, boolean fsync) {
        this.directory = directory.toAbsolutePath().normalize();
        this.keep = keep;
        this.fsync = fsync;
    }

    @Override
    public Recovered load(Reader reader) {
        if (open != null) {
            throw new IllegalStateException("the data directory " + directory + " is open");
        }
        OpenFiles files = openFiles();
        try {
            compacted = Long.parseLong(files.facts.getOrDefault(COMPACTED, "0"));
            version = compacted;
            for (Cursor<Long, byte[]> cursor = files.writes.cursor(null); cursor.hasNext();) {
                long at = cursor.next();
                Write write = WriteCodec.decode(at, cursor.getValue());
                hand(write, reader);
                version = Math.max(version, at);
            }
            requireNewest(files);
            open = files;
            return new Recovered(compacted, version);
        } catch (IOException | RuntimeException e) {
            files.store.closeImmediately();
            closeQuietly(files.newest);
            throw e instanceof StorageException already ? already : damaged(String.valueOf(e.getMessage()), e);
        }
    }

    private void hand(Write write, Reader reader) throws IOException {
        byte[] json = write.json();
        if (write.version() > compacted) {
            if (write.version() != version + 1) {
                throw new IOException("version " + (version + 1) + " is missing");
            }
            reader.change(write.version(), write.resource(), write.key(), json);
        } else if (json != null) {
            reader.object(write.version(), write.resource(), json);
        }
    }

    private OpenFiles openFiles() {
        Path file = directory.resolve(FILE);
        try {
            Files.createDirectories(directory);
            if (!Files.isWritable(directory)) {
                throw new IOException("it is not writable");
            }
        } catch (IOException e) {
            throw new StorageException("the data directory " + directory + " cannot be used (" + e + "): " + REMEDY, e);
        }
        MVStore store = null;
        try {
            store = new MVStore.Builder().fileName(file.toString()).autoCommitDisabled().compress().open();
            store.setRetentionTime(REUSE_SPACE_AFTER_MS);
            store.setVersionsToKeep(0);
            MVMap<String, String> facts = store.openMap("facts");
            MVMap<Long, byte[]> writes = store.openMap("writes", new MVMap.Builder<Long, byte[]>()
                    .keyType(LongDataType.INSTANCE).valueType(ByteArrayDataType.INSTANCE));
            String format = facts.putIfAbsent(FORMAT, FORMAT_1);
            if (format != null && !format.equals(FORMAT_1)) {
                throw new StorageException("the data directory " + directory + " is of format " + format
                        + ", and this version reads only " + FORMAT_1 + ": " + REMEDY, null);
            }
            store.commit();
            return new OpenFiles(store, writes, facts, FileChannel.open(directory.resolve(NEWEST),
                    StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE));
        } catch (MVStoreException e) {
            abandon(store);
            if (e.getErrorCode() == DataUtils.ERROR_FILE_LOCKED) {
                throw new StorageException("the data directory " + directory
                        + " is in use by another process: end that one, or " + REMEDY, e);
            }
            throw damaged(String.valueOf(e.getMessage()), e);
        } catch (StorageException e) {
            abandon(store);
            throw e;
        } catch (IOException | RuntimeException e) {
            abandon(store);
            throw damaged(e.toString(), e);
        }
    }

    private static void abandon(@Nullable MVStore store) {
        if (store != null) {
            store.closeImmediately();
        }
    }

    private StorageException damaged(String how, @Nullable Throwable cause) {
        return new StorageException("the data directory " + directory + " is damaged ("
                + how.lines().findFirst().orElse("") + "): restore it from a copy, or " + REMEDY, cause);
    }

    /** A file that lost its end is a good file of an earlier version: only another file can tell. */
    private void requireNewest(OpenFiles files) throws IOException {
        ByteBuffer text = ByteBuffer.allocate(32);
        files.newest.read(text, 0);
        String number = new String(text.array(), 0, text.position(), StandardCharsets.US_ASCII).trim();
        long acknowledged = number.matches("\\d{1,18}") ? Long.parseLong(number) : 0;
        if (acknowledged > version) {
            throw damaged("it ends at version " + version + ", but version " + acknowledged
                    + " was acknowledged; to go on without what is lost, delete the file " + NEWEST + " in it", null);
        }
    }

    @Override
    public void commit(List<Write> writes) {
        OpenFiles files = Objects.requireNonNull(open, "load comes first");
        try {
            for (Write write : writes) {
                files.writes.append(write.version(), WriteCodec.encode(write));
                version = write.version();
            }
            if (version - compacted > keep + (keep / 4)) {
                compactTo(files, version - keep);
            }
            files.store.commit();
            if (fsync) {
                // The number of the newest version need not come with it: an older one is as good.
                files.store.sync();
            }
            files.newest.write(ByteBuffer.wrap("%-20d%n".formatted(version).getBytes(StandardCharsets.US_ASCII)), 0);
            if (++commits % TIDY_EVERY == 0) {
                files.store.compact(LEAST_FILLED_PERCENT, TIDY_BYTES);
            }
        } catch (IOException | RuntimeException e) {
            throw new StorageException("the data directory " + directory + " took no more writes (" + e.getMessage()
                    + "): see that its disk has room and works, and start again", e);
        }
    }

    private void compactTo(OpenFiles files, long to) {
        files.facts.put(COMPACTED, Long.toString(to));
        for (Cursor<Long, byte[]> cursor = files.writes.cursor(compacted + 1, to, false); cursor.hasNext();) {
            long at = cursor.next();
            try {
                Write write = WriteCodec.decode(at, cursor.getValue());
                if (write.previous() > 0) {
                    files.writes.remove(write.previous());
                }
                if (write.json() == null) {
                    files.writes.remove(at);
                }
            } catch (IOException e) {
                throw damaged(String.valueOf(e.getMessage()), e);
            }
        }
        compacted = to;
    }

    @Override
    public boolean isDurable() {
        return true;
    }

    @Override
    public void close() {
        OpenFiles files = open;
        open = null;
        if (files != null) {
            files.store.close();
            closeQuietly(files.newest);
        }
    }

    private static void closeQuietly(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // Everything in it has been written.
        }
    }
}
