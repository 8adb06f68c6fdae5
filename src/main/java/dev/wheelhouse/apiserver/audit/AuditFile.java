package dev.wheelhouse.apiserver.audit;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.auth.AuthConfigException;
import dev.wheelhouse.runtime.PrivateFiles;

/**
 * A file of events, one in each line. A file that would become too large is renamed to {@code NAME-TIME.EXTENSION}, as
 * upstream does, and a new one begins. Thread safe.
 */
public final class AuditFile implements AutoCloseable {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH-mm-ss.SSS")
            .withZone(ZoneOffset.UTC);

    private final Path path;
    private final long mostBytes;
    private final int mostBackups;
    private final int mostDays;
    /** Null if the file has to be opened again, after a rotation or its failure. */
    private @Nullable OutputStream out;
    private long size;

    /**
     * Opens the file, to append to it.
     *
     * @param mostBytes of one file
     * @param mostBackups the number of renamed files that are kept; 0 for all
     * @param mostDays how long renamed files are kept; 0 for ever
     * @throws AuthConfigException if the file cannot be written
     */
    public AuditFile(String path, long mostBytes, int mostBackups, int mostDays) {
        this.path = Path.of(path).toAbsolutePath();
        this.mostBytes = mostBytes;
        this.mostBackups = mostBackups;
        this.mostDays = mostDays;
        try {
            this.out = open();
        } catch (IOException e) {
            throw new AuthConfigException("the audit log " + path + " cannot be written (" + e.getMessage()
                    + "): name a file in a directory that this user may write", e);
        }
    }

    private OutputStream open() throws IOException {
        PrivateFiles.createDirectories(path.resolveSibling(""));
        PrivateFiles.createIfMissing(path);
        PrivateFiles.requireFile(path);
        size = Files.size(path);
        return Files.newOutputStream(path, StandardOpenOption.APPEND);
    }

    /** @param line without its end */
    synchronized void write(byte[] line, Instant now) throws IOException {
        if (size > 0 && size + line.length + 1 > mostBytes) {
            rotate(now);
        }
        OutputStream to = out;
        if (to == null) {
            to = open();
            out = to;
        }
        byte[] whole = Arrays.copyOf(line, line.length + 1);
        whole[line.length] = '\n';
        to.write(whole);
        to.flush();
        size += whole.length;
    }

    private void rotate(Instant now) throws IOException {
        String name = path.getFileName().toString();
        int dot = name.lastIndexOf('.') < 0 ? name.length() : name.lastIndexOf('.');
        String prefix = name.substring(0, dot) + "-";
        String extension = name.substring(dot);
        close();
        size = 0; // If the file cannot be renamed, the next event goes into it.
        Files.move(path, path.resolveSibling(prefix + TIME.format(now) + extension));
        Pattern backup = Pattern.compile(Pattern.quote(prefix) + "[-0-9T.]{23}" + Pattern.quote(extension));
        try (Stream<Path> files = Files.list(path.resolveSibling(""))) {
            List<Path> newest = files.filter(each -> backup.matcher(each.getFileName().toString()).matches())
                    .sorted(Comparator.reverseOrder()).toList();
            for (int i = 0; i < newest.size(); i++) {
                if (mostBackups > 0 && i >= mostBackups || mostDays > 0 && Files.getLastModifiedTime(newest.get(i))
                        .toInstant().isBefore(now.minus(Duration.ofDays(mostDays)))) {
                    Files.delete(newest.get(i));
                }
            }
        }
    }

    @Override
    public synchronized void close() {
        try (OutputStream old = out) {
            out = null;
        } catch (IOException e) {
            // Each line was flushed.
        }
    }
}
