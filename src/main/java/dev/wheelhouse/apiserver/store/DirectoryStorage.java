package dev.wheelhouse.apiserver.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import org.h2.mvstore.Cursor;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.h2.mvstore.SingleFileStore;
import org.h2.mvstore.type.ByteArrayDataType;
import org.h2.mvstore.type.LongDataType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.runtime.OutOfMemory;
import dev.wheelhouse.runtime.PrivateFiles;

/**
 * Keeps every write under its version in one map of an MVStore. Compaction removes old writes from time to time: up to
 * the compacted version it removes deletions, and states that a later write replaced (upstream: the compaction of
 * revisions in etcd's {@code mvcc}). There are no background threads; the committing thread compacts.
 *
 * <p>Damage is detected when the file is opened. Each write has a checksum. Versions after the compacted one have no
 * gaps. {@link CompactedSum} proves that the writes up to it are complete. A file that lost its end looks like an
 * intact older file, so a second file holds the newest acknowledged version ({@link NewestVersion}).
 */
final class DirectoryStorage implements Storage {
    static final String FILE = "objects.mv.db";
    static final String NEWEST = "newest-version";
    private static final Logger log = LoggerFactory.getLogger(DirectoryStorage.class);
    private static final Set<String> OWN_NAMES = Set.of(FILE, NEWEST, "pki");
    private static final String COMPACTED = "compacted";
    private static final String COMPACTED_SUM = "compacted-sum";
    private static final String RESUMED = "resumed";
    /** The release that opened the directory last; only if the classes come from a jar. */
    static final String RELEASE = "release";
    private static final String FORMAT = "format";
    /** The first format had no {@link CompactedSum}; opening such a file upgrades it. */
    private static final String FORMAT_1 = "1";
    private static final String FORMAT_2 = "2";
    private static final String REMEDY = "choose another one with --wheelhouse.apiserver.data-dir=DIR";
    private static final int RECLAIM_EVERY_COMMITS = 512;
    private static final int RECLAIM_BYTES = 4 * 1024 * 1024;
    private static final int MIN_FILL_PERCENT = 50;
    private static final int REUSE_SPACE_AFTER_MS = 10_000;
    private static final long MEBIBYTE = 1024 * 1024;
    /** With fewer free bytes on the disk, writes stay refused after a failure: the next one would fail again. */
    private static final long MIN_FREE_BYTES = MEBIBYTE;

    private final Path directory;
    private final int keptWrites;
    private final boolean fsync;
    private final String fileSystem;
    private @Nullable OpenFiles open;
    private CompactedSum sum = CompactedSum.EMPTY;
    private long compacted;
    private long version;
    private int commits;
    /** Whether a commit has begun and has neither succeeded nor been undone. Then nothing more may be written. */
    private boolean unfinished;

    private record OpenFiles(SingleFileStore file, MVStore store, MVMap<Long, byte[]> writes,
            MVMap<String, String> facts, FileChannel newest) {
        /** Closes the files without writing anything. An error of the store does not leave its file locked. */
        void abandon() {
            try {
                store.closeImmediately();
            } finally {
                closeQuietly(file::close);
                closeQuietly(newest);
            }
        }
    }

    DirectoryStorage(Path directory, int keptWrites, boolean fsync) {
        this(directory, keptWrites, fsync, "");
    }

    /** @param fileSystem the prefix of one of H2's file systems, for tests; empty for the platform's own */
    DirectoryStorage(Path directory, int keptWrites, boolean fsync, String fileSystem) {
        this.fileSystem = fileSystem;
        this.directory = directory.toAbsolutePath().normalize();
        this.keptWrites = keptWrites;
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
                replay(WriteCodec.decode(at, encoded), reader);
                if (at <= compacted) {
                    found = found.with(at, encoded);
                }
                version = Math.max(version, at);
            }
            requireComplete(files, found);
            requireAcknowledged(newest);
            sum = found;
            removeAfter(files, version, newest.undone());
            open = files;
            return new Recovered(compacted, version);
        } catch (IOException | RuntimeException | StackOverflowError | OutOfMemoryError | AssertionError e) {
            // Reading a damaged file can recurse without end, or ask for an array of any length.
            files.abandon();
            throw failed(e);
        }
    }

    private void replay(Write write, Reader reader) throws IOException {
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

    private void requireComplete(OpenFiles files, CompactedSum found) throws IOException {
        String wanted = files.facts.get(COMPACTED_SUM);
        if (FORMAT_1.equals(files.facts.get(FORMAT))) {
            files.facts.put(FORMAT, FORMAT_2);
            files.facts.put(COMPACTED_SUM, found.toString());
        } else if (!found.toString().equals(wanted)) {
            throw new IOException("the " + found.count() + " objects up to version " + compacted
                    + " do not match the checksum that was recorded for them");
        }
    }

    private void requireAcknowledged(NewestVersion newest) {
        if (newest.acknowledged() > version) {
            throw damaged("it ends at version " + version + ", but version " + newest.acknowledged()
                    + " was acknowledged; to continue without the lost writes, delete the file " + NEWEST + " there",
                    null);
        }
    }

    /**
     * Removes the writes of a commit that failed: their clients were told so.
     *
     * @param noted whether {@link NewestVersion} marks them as undone. The mark must be gone from the disk before the
     *         next write, which it would undo too
     */
    private void removeAfter(OpenFiles files, long last, boolean noted) throws IOException {
        boolean changed = files.store.hasUnsavedChanges();
        for (Long after = files.writes.higherKey(last); after != null; after = files.writes.higherKey(last)) {
            files.writes.remove(after);
            changed = true;
        }
        if (changed) {
            flush(files);
        }
        if (noted) {
            NewestVersion.writeAndSync(files.newest, last);
        }
    }

    private void prepareDirectory() {
        try {
            PrivateFiles.createDirectories(directory);
            if (!Files.isWritable(directory)) {
                throw new IOException("it is not writable");
            }
            restrictDirectory();
        } catch (IOException e) {
            throw new StorageException(
                    "the data directory " + directory + " cannot be used (" + reason(e) + "): " + REMEDY, e);
        }
        for (String name : List.of(FILE, NEWEST)) {
            Path file = directory.resolve(name);
            try {
                if (PrivateFiles.createIfMissing(file)) {
                    continue;
                }
                PrivateFiles.requireFile(file);
                if (PrivateFiles.secure(file)) {
                    log.warn("other users could read or change {}; only its owner can now", file);
                }
            } catch (IOException e) {
                throw new StorageException("the file " + file + " cannot be used (" + reason(e)
                        + "): see that it is a file of the user who runs the server, or " + REMEDY, e);
            }
        }
    }

    /** Makes the directory private, unless it holds other files, too: then it may be shared on purpose. */
    private void restrictDirectory() throws IOException {
        if (!PrivateFiles.isAccessibleToOthers(directory) || !PrivateFiles.isOwnedByThisUser(directory)) {
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
        // MVStore does not close a file of its own if a damage makes its constructor fail in an unexpected way; the
        // file's lock would stay.
        SingleFileStore file = new SingleFileStore(new HashMap<>());
        try {
            file.open(fileSystem + directory.resolve(FILE), false, null);
            store = new MVStore.Builder().adoptFileStore(file).autoCommitDisabled().compress().open();
            store.setRetentionTime(REUSE_SPACE_AFTER_MS);
            store.setVersionsToKeep(0);
            MVMap<String, String> facts = store.openMap("facts");
            requireFormat(facts);
            MVMap<Long, byte[]> writes = store.openMap("writes", new MVMap.Builder<Long, byte[]>()
                    .keyType(LongDataType.INSTANCE).valueType(ByteArrayDataType.INSTANCE));
            newest = FileChannel.open(directory.resolve(NEWEST), StandardOpenOption.READ, StandardOpenOption.WRITE);
            store.commit();
            return new OpenFiles(file, store, writes, facts, newest);
        } catch (IOException | RuntimeException | StackOverflowError | OutOfMemoryError | AssertionError e) {
            if (store != null) {
                store.closeImmediately();
            }
            closeQuietly(file::close);
            if (newest != null) {
                closeQuietly(newest);
            }
            if (e instanceof MVStoreException locked && locked.getErrorCode() == DataUtils.ERROR_FILE_LOCKED) {
                throw new StorageException("the data directory " + directory
                        + " is in use by another process: end that one, or " + REMEDY, e);
            }
            throw failed(e);
        }
    }

    private void requireFormat(MVMap<String, String> facts) {
        String format = facts.get(FORMAT);
        if (format == null && facts.isEmpty()) {
            facts.put(FORMAT, FORMAT_2);
            facts.put(COMPACTED_SUM, CompactedSum.EMPTY.toString());
        } else if (!FORMAT_1.equals(format) && !FORMAT_2.equals(format)) {
            String release = facts.get(RELEASE);
            throw new StorageException("the data directory " + directory + " is of format " + format
                    + (release == null ? "" : ", written by Wheelhouse " + release)
                    + ", and this version reads only up to " + FORMAT_2 + ": start the version that wrote it, or "
                    + REMEDY, null);
        }
        String release = DirectoryStorage.class.getPackage().getImplementationVersion();
        if (release != null && !release.equals(facts.get(RELEASE))) {
            facts.put(RELEASE, release);
        }
    }

    private StorageException damaged(String how, @Nullable Throwable cause) {
        return new StorageException("the data directory " + directory + " is damaged (" + FILE + ": "
                + how.lines().findFirst().orElse("") + "): restore it from a copy, or " + REMEDY, cause);
    }

    /** Explains a failure. One of the file system may pass; a damaged file stays damaged. */
    private StorageException failed(Throwable e) {
        if (e instanceof StorageException explained) {
            return explained;
        }
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof IOException refused && isOfFileSystem(refused)) {
                String reason = reason(refused);
                return StorageException.temporary("the data directory " + directory + " takes no writes (" + reason
                        + "): " + remedy(reason) + (open == null ? ", and start again" : ", and it goes on by itself"),
                        reason, e);
            }
        }
        if (open != null && OutOfMemory.isCauseOf(e)) {
            return StorageException.temporary("the data directory " + directory + " takes no writes (the process ran "
                    + "out of memory): give it a larger heap with -Xmx; it goes on by itself", "out of memory", e);
        }
        if (e instanceof StoreException.Full || OutOfMemory.isCauseOf(e)) {
            return new StorageException("the data directory " + directory + " could not be read with a heap of "
                    + Runtime.getRuntime().maxMemory() / MEBIBYTE + " MiB (" + FILE + " has " + fileSize() / MEBIBYTE
                    + " MiB): give the process a larger one with -Xmx; if that does not help, the file is damaged: "
                    + "restore it from a copy, or " + REMEDY, e);
        }
        return damaged(e instanceof MVStoreException || e instanceof IOException
                ? String.valueOf(e.getMessage())
                : e.toString(), e);
    }

    private long fileSize() {
        try {
            return Files.size(directory.resolve(FILE));
        } catch (IOException e) {
            return 0;
        }
    }

    /** The JDK reports an error of the system as a FileSystemException, or as an IOException that has only its text. */
    private static boolean isOfFileSystem(IOException e) {
        return e instanceof FileSystemException || Errno.isNamedBy(e.getMessage());
    }

    private static String reason(IOException e) {
        return switch (e) {
            case AccessDeniedException denied -> "Permission denied";
            case NotDirectoryException file -> "it is not a directory";
            case FileAlreadyExistsException link -> "it is a link without a target";
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
        OpenFiles files = Objects.requireNonNull(open, "the storage was not loaded");
        long acknowledged = version;
        unfinished = true;
        try {
            for (Write write : writes) {
                files.writes.append(write.version(), WriteCodec.encode(write));
                version = write.version();
            }
            if (version - compacted > keptWrites + keptWrites / 4) {
                compactTo(files, version - keptWrites);
            }
            flush(files);
            NewestVersion.write(files.newest, version);
            unfinished = false;
        } catch (IOException | RuntimeException | Error e) {
            version = acknowledged;
            undo(files, acknowledged);
            unfinished = false;
            throw failed(e);
        }
        if (++commits % RECLAIM_EVERY_COMMITS == 0) {
            reclaimSpace(files);
        }
    }

    private void flush(OpenFiles files) {
        files.store.commit();
        if (fsync) {
            // The file of the newest version is not synced: an older version in it is valid, too.
            files.store.sync();
        }
    }

    /** Rewrites sparsely used parts of the file. A failure is ignored, because the commit itself has succeeded. */
    private static void reclaimSpace(OpenFiles files) {
        try {
            files.store.compact(MIN_FILL_PERCENT, RECLAIM_BYTES);
        } catch (RuntimeException | Error e) {
            log.debug("could not reclaim space in the data directory", e);
        }
    }

    /** Notes the version at which the file has to end. Closes the file, whose end is unknown after a failed write. */
    private static void undo(OpenFiles files, long acknowledged) {
        try {
            // This overwrites bytes in place, so it works on a full disk.
            NewestVersion.writeUndone(files.newest, acknowledged);
        } catch (IOException e) {
            log.debug("could not note that the writes after version {} are undone", acknowledged, e);
        } finally {
            files.store.closeImmediately();
        }
    }

    @Override
    public void resume(long last) {
        check();
        OpenFiles failing = Objects.requireNonNull(open, "the storage was not loaded");
        failing.abandon();
        OpenFiles files = openFiles();
        try {
            compacted = Long.parseLong(files.facts.getOrDefault(COMPACTED, "0"));
            sum = CompactedSum.parse(files.facts.getOrDefault(COMPACTED_SUM, ""));
            files.facts.put(RESUMED, Long.toString(last));
            removeAfter(files, last, true);
            Long newest = files.writes.lastKey();
            if (last > compacted && (newest == null || newest < last)) {
                throw damaged("it ends at version " + newest + ", but version " + last + " was acknowledged", null);
            }
            version = last;
            open = files;
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
            // Some file systems report no size.
            if (disk.getTotalSpace() > 0 && disk.getUsableSpace() < MIN_FREE_BYTES) {
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
        if (files != null && unfinished) {
            files.abandon();
        } else if (files != null) {
            try {
                files.store.close();
            } catch (RuntimeException e) {
                log.warn("the data directory {} was not closed cleanly ({}); it holds all acknowledged writes",
                        directory, e.getMessage());
                files.store.closeImmediately();
            }
            closeQuietly(files.newest);
        }
    }

    /** Closes a file, which was never open or has all writes that were made to it. */
    private static void closeQuietly(AutoCloseable file) {
        try {
            file.close();
        } catch (Exception e) {
            log.debug("a file of the data directory was not closed cleanly", e);
        }
    }
}
