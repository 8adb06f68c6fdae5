package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.runtime.Commands;

/** The agent's files: what all its volumes do with directories, links and mounts. */
final class PodFiles {
    private static final LinkOption[] NO_LINKS = {LinkOption.NOFOLLOW_LINKS};
    private static final int GROUPS = 02770;
    private static final String DATA = "..data";
    private static final Duration COMMAND = Duration.ofSeconds(10);
    private static final int MOST_MOUNTS = 10_000;

    /** A file of a volume. */
    record Content(byte[] bytes, int mode) {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Content that && mode == that.mode && Arrays.equals(bytes, that.bytes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes) + mode;
        }
    }

    private PodFiles() {}

    /** Sets mode, and group if there is one, whatever the umask. Links are not followed. */
    static void permit(Path path, int mode, @Nullable Long group) throws IOException {
        if (group != null) {
            Files.setAttribute(path, "unix:gid", (int) Math.clamp(group, 0, Integer.MAX_VALUE), NO_LINKS);
        }
        // A change of the group clears the bit by which new files get the group of their directory.
        Files.setAttribute(path, "unix:mode", mode, NO_LINKS);
    }

    /**
     * Gives a directory and all in it to a group, which may then read and write it (upstream:
     * {@code pkg/volume/volume_linux.go}). Links are not followed.
     *
     * @param onlyIfDifferent whether to leave it if the directory itself is the group's already
     */
    static void own(Path directory, long group, boolean onlyIfDifferent) throws IOException {
        int gid = (int) Files.getAttribute(directory, "unix:gid");
        if (onlyIfDifferent && gid == group && (mode(directory) & GROUPS) == GROUPS) {
            return;
        }
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path each : (Iterable<Path>) all::iterator) {
                if (Files.isDirectory(each, NO_LINKS) || Files.isRegularFile(each, NO_LINKS)) {
                    permit(each, mode(each) | (Files.isDirectory(each, NO_LINKS) ? GROUPS : 0660), group);
                } else {
                    Files.setAttribute(each, "unix:gid", (int) group, NO_LINKS);
                }
            }
        }
    }

    /** The permissions of a file or directory, with the bits for its group and its user. */
    static int mode(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:mode", NO_LINKS) & 07777;
    }

    /**
     * Makes a directory show these files. Readers see either all old or all new ones: the files are links through
     * {@code ..data}, a link that is replaced at once (upstream: {@code pkg/volume/util/atomic_writer.go}).
     *
     * @param files contents by relative path
     * @param group the files' group; null for root's
     */
    static void write(Path directory, Map<String, Content> files, @Nullable Long group) throws IOException {
        Path data = directory.resolve(DATA);
        Path old = Files.isSymbolicLink(data) ? directory.resolve(Files.readSymbolicLink(data)) : null;
        Path fresh = Files.createTempDirectory(directory, "..");
        permit(fresh, 0755, group);
        Set<String> names = new HashSet<>();
        for (Map.Entry<String, Content> file : files.entrySet()) {
            Path path = fresh.resolve(file.getKey()).normalize();
            if (!path.startsWith(fresh) || path.equals(fresh)) {
                throw new IOException("the path " + file.getKey() + " leads out of the volume");
            }
            for (Path parent = path.getParent(); parent != null && !Files.exists(parent); parent = parent
                    .getParent()) {
                Files.createDirectories(parent);
            }
            Files.write(path, file.getValue().bytes);
            permit(path, group == null ? file.getValue().mode : file.getValue().mode | 0440, group);
            names.add(fresh.relativize(path).getName(0).toString());
        }
        try (Stream<Path> made = Files.walk(fresh)) {
            for (Path each : made.filter(p -> Files.isDirectory(p, NO_LINKS)).toList()) {
                permit(each, 0755, group);
            }
        }
        Path next = directory.resolve("..data_tmp");
        Files.deleteIfExists(next);
        Files.createSymbolicLink(next, fresh.getFileName());
        Files.move(next, data, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        for (String name : names) {
            Path link = directory.resolve(name);
            if (!Files.exists(link, NO_LINKS)) {
                Files.createSymbolicLink(link, Path.of(DATA, name));
            }
        }
        try (Stream<Path> there = Files.list(directory)) {
            for (Path link : there.filter(Files::isSymbolicLink).toList()) {
                String name = link.getFileName().toString();
                if (!name.equals(DATA) && !names.contains(name)) {
                    Files.delete(link);
                }
            }
        }
        if (old != null) {
            delete(old);
        }
    }

    /** Deletes a directory and all in it. Links are deleted, not followed. */
    static void delete(Path directory) throws IOException {
        if (!Files.exists(directory, NO_LINKS)) {
            return;
        }
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path dir, @Nullable IOException e) throws IOException {
                if (e != null) {
                    throw e;
                }
                Files.delete(dir);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** Mounts a file system in memory at a directory, unless there is one. */
    static void mountMemory(Path directory, String options) throws IOException {
        Files.createDirectories(directory);
        if (!Mounts.read().has(directory)) {
            run("mount", "-t", "tmpfs", "-o", options, "tmpfs", directory.toString());
        }
    }

    /** Takes away all mounts at and below a path, because a deletion would not stop at them. */
    static void unmount(Path path) throws IOException {
        for (int i = 0; i < MOST_MOUNTS; i++) {
            List<Mounts.Mount> left = Mounts.read().all().stream().filter(each -> each.isAtOrBelow(path)).toList();
            if (left.isEmpty()) {
                return;
            }
            run("umount", "-l", left.getLast().point());
        }
        throw new IOException("there are still mounts at or below " + path);
    }

    /** The bytes that a directory takes on the disk; zero if it is not there. */
    static long size(Path directory) throws IOException {
        // Files that go away meanwhile make du fail, although it measures all others.
        String line = run("sh", "-c", "du -s -x -B1 -- \"$0\" 2> /dev/null || true", directory.toString());
        return line.matches("(?s)\\d{1,18}\\s.*") ? Long.parseLong(line.split("\\s", 2)[0]) : 0;
    }

    static String run(String... command) throws IOException {
        return Commands.run(COMMAND, "", command);
    }
}
