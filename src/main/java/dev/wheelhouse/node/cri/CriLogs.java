package dev.wheelhouse.node.cri;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

/** The log files of containers, in CRI's format: each line has a time, a stream and a tag before its text. */
final class CriLogs {
    private static final int MOST_BYTES = 2_048;
    private static final LogQuery LAST_LINES = new LogQuery(false, false, false, null, 80, -1);
    private static final int FIELDS = 4;

    private static final int BLOCK = 1 << 16;
    private static final int LONGEST_LINE = 1 << 20;
    /** The longest time until the end of a container that writes nothing more is seen. */
    private static final long LOOK_AGAIN_MILLIS = 1_000;

    private CriLogs() {}

    /**
     * Writes the wanted part of a log. A file that is followed may be renamed and begun again meanwhile.
     *
     * @param ended whether nothing is added to the file any more
     * @param gone whether nobody reads any more
     */
    static void write(Path file, LogQuery query, BooleanSupplier ended, OutputStream out, BooleanSupplier gone)
            throws IOException {
        try (WatchService changes = query.follow() ? changes(file) : null) {
            Lines lines = new Lines(query, out);
            boolean rotated = false;
            do {
                try (RandomAccessFile log = open(file)) {
                    Object key = key(file);
                    BooleanSupplier renamed = () -> {
                        Object now = key(file);
                        return now != null && !now.equals(key);
                    };
                    log.seek(rotated || query.tailLines() < 0 ? 0 : startOfTail(log, query.tailLines()));
                    rotated = write(log, renamed, lines, changes,
                            () -> !query.follow() || ended.getAsBoolean(), gone);
                }
            } while (rotated);
        }
    }

    /** The file that has the name, whatever is renamed meanwhile. */
    private static RandomAccessFile open(Path file) throws IOException {
        while (true) {
            Object before = key(file);
            RandomAccessFile log = new RandomAccessFile(file.toFile(), "r");
            if (Objects.equals(before, key(file))) {
                return log;
            }
            log.close();
        }
    }

    /** Tells files apart that have one name after each other; null while there is none. */
    private static @Nullable Object key(Path file) {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        } catch (IOException e) {
            return null;
        }
    }

    /** @return whether another file has the name now, and all of this one is written */
    private static boolean write(RandomAccessFile log, BooleanSupplier renamed, Lines lines,
            @Nullable WatchService changes, BooleanSupplier ended, BooleanSupplier gone) throws IOException {
        byte[] block = new byte[BLOCK];
        while (lines.left > 0 && !gone.getAsBoolean()) {
            // The container may write until it ends, and the runtime until it has another file: the file is read once
            // more after that.
            boolean rotated = changes != null && renamed.getAsBoolean();
            boolean last = ended.getAsBoolean();
            int read = log.read(block);
            for (int i = 0; i < read && lines.left > 0; i++) {
                lines.add(block[i]);
            }
            if (read < 0 && (rotated || last)) {
                return rotated;
            }
            if (read < 0) {
                lines.out.flush();
                await(changes);
            }
        }
        return false;
    }

    /** Tells of changes in the directory of a file; null if the system has no more such watches. */
    private static @Nullable WatchService changes(Path file) {
        try {
            WatchService changes = file.getFileSystem().newWatchService();
            Objects.requireNonNull(file.toAbsolutePath().getParent()).register(changes,
                    StandardWatchEventKinds.ENTRY_CREATE,
                    StandardWatchEventKinds.ENTRY_MODIFY);
            return changes;
        } catch (IOException e) {
            return null;
        }
    }

    private static void await(@Nullable WatchService changes) throws IOException {
        try {
            if (changes == null) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(LOOK_AGAIN_MILLIS));
                return;
            }
            WatchKey key = changes.poll(LOOK_AGAIN_MILLIS, TimeUnit.MILLISECONDS);
            if (key != null) {
                key.pollEvents();
                key.reset();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the node stops");
        }
    }

    /** Writes the wanted text of the lines that it is given byte by byte. */
    private static final class Lines {
        private final LogQuery query;
        private final OutputStream out;
        private final ByteArrayOutputStream line = new ByteArrayOutputStream();
        private long left;

        Lines(LogQuery query, OutputStream out) {
            this.query = query;
            this.out = out;
            this.left = query.limitBytes() < 0 ? Long.MAX_VALUE : query.limitBytes();
        }

        void add(byte next) throws IOException {
            line.write(next);
            if (next == '\n' || line.size() >= LONGEST_LINE) {
                byte[] text = text(line.toByteArray(), query);
                int part = (int) Math.min(left, text.length);
                out.write(text, 0, part);
                left -= part;
                line.reset();
            }
        }
    }

    /** The place of the first of the last lines. */
    private static long startOfTail(RandomAccessFile log, long lines) throws IOException {
        long place = log.length();
        long found = 0;
        byte[] block = new byte[BLOCK];
        while (place > 0) {
            int length = (int) Math.min(BLOCK, place);
            log.seek(place - length);
            log.readFully(block, 0, length);
            for (int i = length - 1; i >= 0; i--) {
                // The line end before the first wanted line is one more than the wanted lines have.
                if (block[i] == '\n' && found++ == lines) {
                    return place - length + i + 1;
                }
            }
            place -= length;
        }
        return 0;
    }

    /** The text of one line; empty if it is older than wanted, or no line of a log. */
    private static byte[] text(byte[] line, LogQuery query) {
        String[] fields = new String(line, StandardCharsets.ISO_8859_1).split(" ", FIELDS);
        if (fields.length < FIELDS || query.since() != null && isBefore(fields[0], query.since())) {
            return new byte[0];
        }
        String text = fields[2].startsWith("P") && fields[3].endsWith("\n")
                ? fields[3].substring(0, fields[3].length() - 1)
                : fields[3];
        return ((query.timestamps() ? fields[0] + " " : "") + text).getBytes(StandardCharsets.ISO_8859_1);
    }

    private static boolean isBefore(String time, Instant since) {
        try {
            return OffsetDateTime.parse(time).toInstant().isBefore(since);
        } catch (DateTimeParseException e) {
            return false;
        }
    }

    /**
     * The text of the last lines: at most 80, with at most 2,048 bytes, as for a termination message.
     * @return empty if there is no file, or it cannot be read
     */
    static String tail(Path file) {
        if (!Files.isRegularFile(file)) {
            return "";
        }
        try {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            write(file, LAST_LINES, () -> true, out, () -> false);
            byte[] bytes = out.toByteArray();
            int length = Math.min(bytes.length, MOST_BYTES);
            return new String(bytes, bytes.length - length, length, StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }
}
