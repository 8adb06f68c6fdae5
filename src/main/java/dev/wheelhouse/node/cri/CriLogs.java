package dev.wheelhouse.node.cri;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import dev.wheelhouse.api.ContainerLogs;
import dev.wheelhouse.api.ObjectKey;

/** The log files of containers, in CRI's format: each line has a time, a stream and a tag before its text. */
final class CriLogs {
    private static final int MOST_BYTES = 2_048;
    private static final ContainerLogs.Query LAST_LINES = new ContainerLogs.Query(ObjectKey.of("any", "any"), "", "",
            false,
            false, false, null, 80, -1);
    private static final int FIELDS = 4;

    private static final int BLOCK = 1 << 16;
    private static final int LONGEST_LINE = 1 << 20;
    private static final long LOOK_AGAIN = Duration.ofMillis(100).toNanos();

    private CriLogs() {}

    /**
     * Writes the wanted part of a log.
     *
     * @param ended whether nothing is added to the file any more
     * @param gone whether nobody reads any more
     */
    static void write(Path file, ContainerLogs.Query query, BooleanSupplier ended, OutputStream out,
            BooleanSupplier gone) throws IOException {
        long left = query.limitBytes() < 0 ? Long.MAX_VALUE : query.limitBytes();
        try (RandomAccessFile log = new RandomAccessFile(file.toFile(), "r")) {
            log.seek(query.tailLines() < 0 ? 0 : startOfTail(log, query.tailLines()));
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            byte[] block = new byte[BLOCK];
            boolean last = !query.follow();
            while (left > 0 && !gone.getAsBoolean()) {
                // The container may write until it ends: the file is read once more after that.
                last |= ended.getAsBoolean();
                int read = log.read(block);
                for (int i = 0; i < read && left > 0; i++) {
                    line.write(block[i]);
                    if (block[i] == '\n' || line.size() >= LONGEST_LINE) {
                        byte[] text = text(line.toByteArray(), query);
                        int part = (int) Math.min(left, text.length);
                        out.write(text, 0, part);
                        left -= part;
                        line.reset();
                    }
                }
                if (read < 0) {
                    if (last) {
                        return;
                    }
                    out.flush();
                    LockSupport.parkNanos(LOOK_AGAIN);
                }
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
    private static byte[] text(byte[] line, ContainerLogs.Query query) {
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
