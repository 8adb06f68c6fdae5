package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

/**
 * Keeps the logs of containers small: a log that is too large gets another name, and a runtime that writes on in a new
 * file. Older files are compressed, the oldest ones deleted (upstream: {@code container_log_manager.go}).
 */
final class LogRotation {
    /** Kubelet's defaults. */
    static final long MOST_BYTES = 10 << 20;
    static final int MOST_FILES = 5;
    private static final String COMPRESSED = ".gz";
    private static final String UNFINISHED = ".tmp";
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss")
            .withZone(ZoneOffset.UTC);

    private LogRotation() {}

    /**
     * Rotates a log if it is too large.
     * @param reopen makes the runtime write into a new file of the same name
     */
    static void rotate(Path log, long mostBytes, Instant now, Runnable reopen) throws IOException {
        if (!Files.exists(log) || Files.size(log) < mostBytes) {
            return;
        }
        List<Path> older = older(log);
        for (Path each : older.subList(0, Math.max(0, older.size() - MOST_FILES + 2))) {
            Files.delete(each);
        }
        for (Path each : older(log)) {
            if (!each.toString().endsWith(COMPRESSED)) {
                compress(each);
            }
        }
        Path rotated = Path.of(log + "." + TIME.format(now));
        Files.move(log, rotated);
        try {
            reopen.run();
        } catch (CriException e) {
            // The runtime writes on into the file that it has open, whatever its name.
            Files.move(rotated, log);
            throw e;
        }
    }

    private static void compress(Path file) throws IOException {
        Path unfinished = Path.of(file + UNFINISHED);
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(unfinished))) {
            Files.copy(file, out);
        }
        Files.move(unfinished, Path.of(file + COMPRESSED), StandardCopyOption.ATOMIC_MOVE);
        Files.delete(file);
    }

    /** The rotated files of a log, the oldest first. A file that is compressed already counts once. */
    static List<Path> older(Path log) throws IOException {
        try (Stream<Path> files = Files.list(log.getParent())) {
            return files.filter(each -> each.toString().startsWith(log + ".")
                    && !each.toString().endsWith(UNFINISHED) && !Files.exists(Path.of(each + COMPRESSED))).sorted()
                    .toList();
        }
    }

    /** Deletes a log with its rotated files. */
    static void delete(Path log) throws IOException {
        for (Path each : Files.exists(log) ? older(log) : List.<Path>of()) {
            Files.deleteIfExists(each);
        }
        Files.deleteIfExists(log);
    }
}
