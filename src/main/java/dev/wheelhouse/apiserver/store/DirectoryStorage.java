package dev.wheelhouse.apiserver.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import org.h2.mvstore.Cursor;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.h2.mvstore.type.ByteArrayDataType;
import org.h2.mvstore.type.LongDataType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.runtime.PrivateFiles;

/**
 * Keeps every write under its version in one map of an MVStore. From time to time the oldest writes are compacted: those that
 * a later one up to the compacted version replaced are removed, and so are deletions (upstream: etcd's {@code mvcc} keeps and
 * compacts revisions alike). Nothing runs in the background: the committing thread tidies up.
 *
 * <p>A damaged file is noticed when it is opened: each write has a checksum, writes after the compacted version have no gaps,
 * the {@link CompactedSum} tells whether those up to it are all there, and beside the file stands the newest version that was
 * acknowledged, as a file that lost its end is a good file of an earlier version.
 */
final class DirectoryStorage implements Storage {
    static final String FILE = "objects.mv.db";
    static final String NEWEST = "newest-version";
    private static final Logger log = LoggerFactory.getLogger(DirectoryStorage.class);
    private static final Set<String> OWN_NAMES = Set.of(FILE, NEWEST, "pki");
    private static final String COMPACTED = "compacted";
    private static final String COMPACTED_SUM = "compacted-sum";
    private static final String RESUMED = "resumed";
    private static final String FORMAT = "format";
    /** Without a sum of what is compacted. */
    private static final String FORMAT_1 = "1";
    private static final String FORMAT_2 = "2";
    private static final String REMEDY = "choose another one with --wheelhouse.apiserver.data-dir=DIR";
    private static final int TIDY_EVERY = 512;
    private static final int TIDY_BYTES = 4 * 1024 * 1024;
    private static final int LEAST_FILLED_PERCENT = 50;
    private static final int REUSE_SPACE_AFTER_MS = 10_000;
    /** With less room than this, in bytes, writes are not taken again, as the next one would fail. */
    private static final long LEAST_ROOM = 1024 * 1024;

    private final Path directory;
    private final int keep;
    private final boolean fsync;
    private final String fileSystem;
    private @Nullable OpenFiles open;
    private CompactedSum sum = CompactedSum.EMPTY;
    private long compacted;
    private long version;
    private int commits;

    private record OpenFiles(MVStore store, MVMap<Long, byte[]> writes, MVMap<String, String> facts,
            FileChannel newest) {
        void abandon() {
            store.closeImmediately();
            closeQuietly(newest);
        }
    }

    DirectoryStorage(Path directory, int keep, boolean fsync) {
        this(directory, keep, fsync, "");
    }

    /** @param fileSystem the prefix of one of H2's file systems, for tests; empty for the platform's */
    DirectoryStorage(Path directory, int keep, boolean fsync, String fileSystem) {
        this.fileSystem = fileSystem;
        this.directory = directory.toAbsolutePath().normalize();
        this.keep = keep;
        this.fsync = fsync;
    }

    @Override
    public Recovered load(Reader reader) {
        if (open != null) {
            throw new IllegalStateException("the data directory " + directory + " is open");
        }
        prepareDirectory();
        OpenFiles files = openFiles();
        try {
            NewestVersion newest = NewestVersion.read(files.newest);
            compacted = Long.parseLong(files.facts.getOrDefault(COMPACTED, "0"));
            version = compacted;
            CompactedSum found = CompactedSum.EMPTY;
            long before = 0;
            for (Cursor<Long, byte[]> cursor = files.writes.cursor(null); cursor.hasNext();) {
                long at = cursor.next();
                if (at <= before) {
                    throw new IOException("version " + at + " comes after version " + before);
                }
                before = at;
                if (newest.isUndone(at)) {
                    break;
                }
                byte[] encoded = cursor.getValue();
                hand(WriteCodec.decode(at, encoded), reader);
                if (at <= compacted) {
                    found = found.with(at, encoded);
                }
                version = Math.max(version, at);
            }
            requireWhole(files, found);
            requireNewest(newest);
            sum = found;
            forgetAfter(files, version, newest.undone());
            open = files;
            return new Recovered(compacted, version);
        } catch (StorageException e) {
            files.abandon();
            throw e;
        } catch (IOException | RuntimeException | StackOverflowError | OutOfMemoryError | AssertionError e) {
            // A damaged file has any length anywhere, and loops.
            files.abandon();
            throw failed(e);
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

    private void requireWhole(OpenFiles files, CompactedSum found) throws IOException {
        String wanted = files.facts.get(COMPACTED_SUM);
        if (FORMAT_1.equals(files.facts.get(FORMAT))) {
            files.facts.put(FORMAT, FORMAT_2);
            files.facts.put(COMPACTED_SUM, found.toString());
        } else if (!found.toString().equals(wanted)) {
            throw new IOException("of the objects up to version " + compacted + ", " + found.count()
                    + " are there, and they are not those that were kept");
        }
    }

    private void requireNewest(NewestVersion newest) {
        if (newest.acknowledged() > version) {
            throw damaged("it ends at version " + version + ", but version " + newest.acknowledged()
                    + " was acknowledged; to go on without what is lost, delete the file " + NEWEST + " in it", null);
        }
    }

    /**
     * What was written by a commit that failed has not happened.
     *
     * @param noted whether the file beside the store says so: that has to be over, on the disk too, before the next write
     */
    private void forgetAfter(OpenFiles files, long last, boolean noted) throws IOException {
        boolean changed = files.store.hasUnsavedChanges();
        for (Long after = files.writes.higherKey(last); after != null; after = files.writes.higherKey(last)) {
            files.writes.remove(after);
            changed = true;
        }
        if (changed) {
            keep(files);
        }
        if (noted) {
            NewestVersion.writeForced(files.newest, last);
        }
    }

    private void prepareDirectory() {
        try {
            PrivateFiles.createDirectories(directory);
            if (!Files.isWritable(directory)) {
                throw new IOException("it is not writable");
            }
            closeToOthers();
        } catch (IOException e) {
            throw new StorageException(
                    "the data directory " + directory + " cannot be used (" + reason(e) + "): " + REMEDY, e);
        }
        for (String name : List.of(FILE, NEWEST)) {
            Path file = directory.resolve(name);
            try {
                if (!PrivateFiles.createIfMissing(file) && PrivateFiles.secure(file)) {
                    log.warn("other users could read or change {}; now they cannot", file);
                }
            } catch (IOException e) {
                throw new StorageException("the file " + file + " cannot be used (" + reason(e)
                        + "): give it to the user who runs the server, or " + REMEDY, e);
            }
        }
    }

    /** A directory that holds anything else may be shared on purpose; the files in it are private in any case. */
    private void closeToOthers() throws IOException {
        if (!PrivateFiles.isOpen(directory) || !PrivateFiles.isMine(directory)) {
            return;
        }
        try (Stream<Path> entries = Files.list(directory)) {
            if (entries.allMatch(entry -> OWN_NAMES.contains(entry.getFileName().toString()))) {
                PrivateFiles.secure(directory);
            }
        }
    }

    private OpenFiles openFiles() {
        MVStore store = null;
        FileChannel newest = null;
        try {
            store = new MVStore.Builder().fileName(fileSystem + directory.resolve(FILE)).autoCommitDisabled().compress()
                    .open();
            store.setRetentionTime(REUSE_SPACE_AFTER_MS);
            store.setVersionsToKeep(0);
            MVMap<String, String> facts = store.openMap("facts");
            requireFormat(facts);
            MVMap<Long, byte[]> writes = store.openMap("writes", new MVMap.Builder<Long, byte[]>()
                    .keyType(LongDataType.INSTANCE).valueType(ByteArrayDataType.INSTANCE));
            newest = FileChannel.open(directory.resolve(NEWEST), StandardOpenOption.READ, StandardOpenOption.WRITE);
            store.commit();
            return new OpenFiles(store, writes, facts, newest);
        } catch (IOException | RuntimeException | StackOverflowError | OutOfMemoryError | AssertionError e) {
            if (store != null) {
                store.closeImmediately();
            }
            if (newest != null) {
                closeQuietly(newest);
            }
            if (e instanceof MVStoreException locked && locked.getErrorCode() == DataUtils.ERROR_FILE_LOCKED) {
                throw new StorageException("the data directory " + directory
                        + " is in use by another process: end that one, or " + REMEDY, e);
            }
            throw e instanceof StorageException already ? already : failed(e);
        }
    }

    private void requireFormat(MVMap<String, String> facts) {
        String format = facts.get(FORMAT);
        if (format == null && facts.isEmpty()) {
            facts.put(FORMAT, FORMAT_2);
            facts.put(COMPACTED_SUM, CompactedSum.EMPTY.toString());
        } else if (!FORMAT_1.equals(format) && !FORMAT_2.equals(format)) {
            throw new StorageException("the data directory " + directory + " is of format " + format
                    + ", and this version reads only up to " + FORMAT_2 + ": start the version that wrote it, or "
                    + REMEDY, null);
        }
    }

    private StorageException damaged(String how, @Nullable Throwable cause) {
        return new StorageException("the data directory " + directory + " is damaged (" + FILE + ": "
                + how.lines().findFirst().orElse("") + "): restore it from a copy, or " + REMEDY, cause);
    }

    /** A file system that refuses may take writes again; a file that makes no sense stays so. */
    private StorageException failed(Throwable e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof IOException refused && isOfFileSystem(refused)) {
                String reason = reason(refused);
                return StorageException.passing("the data directory " + directory + " takes no writes (" + reason
                        + "): " + remedy(reason) + (open == null ? ", and start again" : ", and it goes on by itself"),
                        reason, e);
            }
        }
        return damaged(e instanceof MVStoreException || e instanceof IOException
                ? String.valueOf(e.getMessage())
                : e.toString(), e);
    }

    /** The system's own words come in an exception of their own type, or in one that is nothing but an IOException. */
    private static boolean isOfFileSystem(IOException e) {
        return e instanceof FileSystemException || Errno.isNamedBy(e.getMessage());
    }

    private static String reason(IOException e) {
        return switch (e) {
            case AccessDeniedException denied -> "Permission denied";
            case FileSystemException system when system.getReason() != null -> system.getReason();
            default -> String.valueOf(e.getMessage()).lines().findFirst().orElse("");
        };
    }

    private static String remedy(String reason) {
        return switch (reason) {
            case Errno.NO_SPACE, Errno.QUOTA -> "make room on its disk";
            case Errno.READ_ONLY -> "mount its file system writable";
            case Errno.DENIED, Errno.NOT_PERMITTED -> "let the user who runs the server write to it";
            default -> "see that its disk works";
        };
    }

    @Override
    public void commit(List<Write> writes) {
        OpenFiles files = Objects.requireNonNull(open, "load comes first");
        long acknowledged = version;
        try {
            for (Write write : writes) {
                files.writes.append(write.version(), WriteCodec.encode(write));
                version = write.version();
            }
            if (version - compacted > keep + (keep / 4)) {
                compactTo(files, version - keep);
            }
            keep(files);
            NewestVersion.write(files.newest, version);
        } catch (IOException | RuntimeException | StackOverflowError | AssertionError e) {
            version = acknowledged;
            undo(files, acknowledged);
            throw e instanceof StorageException already ? already : failed(e);
        }
        if (++commits % TIDY_EVERY == 0) {
            tidy(files);
        }
    }

    private void keep(OpenFiles files) {
        files.store.commit();
        if (fsync) {
            // The number of the newest version need not come with it: an older one is as good.
            files.store.sync();
        }
    }

    /** The commit is kept by now: that old space cannot be won back is the next commit's business, if it is anybody's. */
    private static void tidy(OpenFiles files) {
        try {
            files.store.compact(LEAST_FILLED_PERCENT, TIDY_BYTES);
        } catch (RuntimeException e) {
            log.debug("could not tidy up", e);
        }
    }

    /** Closes the file, of which nobody knows how much was written, and notes where it has to end. */
    private static void undo(OpenFiles files, long acknowledged) {
        files.store.closeImmediately();
        try {
            // It takes no new room.
            NewestVersion.writeUndone(files.newest, acknowledged);
        } catch (IOException e) {
            log.debug("could not note that what comes after version {} is undone", acknowledged, e);
        }
    }

    @Override
    public void resume(long last) {
        check();
        OpenFiles failing = Objects.requireNonNull(open, "load comes first");
        failing.abandon();
        OpenFiles files = openFiles();
        try {
            compacted = Long.parseLong(files.facts.getOrDefault(COMPACTED, "0"));
            sum = CompactedSum.parse(files.facts.getOrDefault(COMPACTED_SUM, ""));
            files.facts.put(RESUMED, Long.toString(last));
            forgetAfter(files, last, true);
            Long newest = files.writes.lastKey();
            if (last > compacted && (newest == null || newest < last)) {
                throw damaged("it ends at version " + newest + ", but version " + last + " was acknowledged", null);
            }
            version = last;
            open = files;
        } catch (StorageException e) {
            files.abandon();
            throw e;
        } catch (IOException | RuntimeException | StackOverflowError | OutOfMemoryError | AssertionError e) {
            files.abandon();
            throw failed(e);
        }
    }

    @Override
    public void check() {
        try {
            if (!Files.isWritable(directory.resolve(FILE))) {
                throw new FileSystemException(FILE, null, Files.exists(directory) ? Errno.DENIED : Errno.GONE);
            }
            FileStore disk = Files.getFileStore(directory);
            // Some file systems do not know how large they are.
            if (disk.getTotalSpace() > 0 && disk.getUsableSpace() < LEAST_ROOM) {
                throw new FileSystemException(FILE, null, Errno.NO_SPACE);
            }
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private void compactTo(OpenFiles files, long to) throws IOException {
        CompactedSum kept = sum;
        for (Cursor<Long, byte[]> cursor = files.writes.cursor(compacted + 1, to, false); cursor.hasNext();) {
            long at = cursor.next();
            byte[] encoded = cursor.getValue();
            Write write = WriteCodec.decode(at, encoded);
            byte[] replaced = write.previous() > 0 ? files.writes.remove(write.previous()) : null;
            if (replaced != null) {
                kept = kept.without(write.previous(), replaced);
            }
            if (write.json() == null) {
                files.writes.remove(at);
            } else {
                kept = kept.with(at, encoded);
            }
        }
        files.facts.put(COMPACTED, Long.toString(to));
        files.facts.put(COMPACTED_SUM, kept.toString());
        sum = kept;
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
            try {
                files.store.close();
            } catch (RuntimeException e) {
                log.warn(
                        "the data directory {} could not be closed in good order ({}); everything acknowledged is in it",
                        directory, e.getMessage());
                files.store.closeImmediately();
            }
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
