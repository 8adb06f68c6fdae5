package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The mounts of this process, in the order in which they were made ({@code /proc/self/mountinfo}), and the mounts that
 * show parts of volumes (upstream: {@code pkg/volume/util/subpath}).
 */
record Mounts(List<Mount> all) {
    private static final Path TABLE = Path.of("/proc/self/mountinfo");
    private static final Pattern ESCAPED = Pattern.compile("\\\\(\\d{3})");

    /**
     * One mount.
     *
     * @param device the number of its file system
     * @param root the directory or file of that file system that the mount shows
     */
    record Mount(String device, String root, String point) {
        boolean isAtOrBelow(Path path) {
            return isIn(point, path.toString());
        }

        /** Whether another mount shows a part of a directory of this one's file system. */
        private boolean hasPart(Mount other, String directory) {
            return device.equals(other.device) && isIn(other.root, directory);
        }
    }

    static Mounts read() throws IOException {
        return Files.exists(TABLE)
                // A container chooses the names in its volumes: they may be no UTF-8, and no paths for this process.
                ? of(new String(Files.readAllBytes(TABLE), StandardCharsets.UTF_8).lines())
                : new Mounts(List.of());
    }

    static Mounts of(Stream<String> lines) {
        return new Mounts(lines.map(line -> line.split(" "))
                .map(fields -> new Mount(fields[2], path(fields[3]), path(fields[4]))).toList());
    }

    private static String path(String escaped) {
        return ESCAPED.matcher(escaped).replaceAll(found -> Matcher.quoteReplacement(
                String.valueOf((char) Integer.parseInt(found.group(1), 8))));
    }

    private static boolean isIn(String path, String directory) {
        return path.equals(directory) || path.startsWith(directory.endsWith("/") ? directory : directory + "/");
    }

    boolean has(Path point) {
        return all.stream().anyMatch(each -> each.point.equals(point.toString()));
    }

    /** Whether a mount shows something in a directory, or in a file system that is mounted below it. */
    boolean showsPartOf(Path directory, Path point) {
        String path = directory.toString();
        Mount shown = all.stream().filter(each -> each.point.equals(point.toString())).reduce((first, last) -> last)
                .orElse(null);
        Mount holder = all.stream().filter(each -> isIn(path, each.point))
                .reduce((first, last) -> last.point.length() < first.point.length() ? first : last).orElse(null);
        if (shown == null || holder == null) {
            return false;
        }
        Path inside = Path.of(holder.root, path.substring(holder.point.equals("/") ? 0 : holder.point.length()));
        return holder.hasPart(shown, inside.toString()) || all.stream().anyMatch(each -> each.isAtOrBelow(directory)
                && !each.point.equals(shown.point) && each.hasPart(shown, each.root));
    }

    /**
     * Mounts a part of a volume at a place that only root can enter. A path that does not exist is made, with the mode
     * of the volume. A container that changes the volume at the same time cannot lead the mount out of it: the mount is
     * made first, and what it shows is looked at afterwards, when nobody can change it any more.
     *
     * @throws IOException if the path leads out of the volume, or to nothing
     */
    static void bind(Path volume, Path part, Path target) throws IOException {
        Path base = volume.toRealPath();
        Path there = base.resolve(part).normalize();
        Deque<Path> missing = new ArrayDeque<>();
        for (Path parent = there.getParent(); !Files.exists(there) && parent != null; parent = there.getParent()) {
            missing.push(there.getFileName());
            there = parent;
        }
        PodFiles.unmount(target);
        Files.createDirectories(target.getParent());
        Files.deleteIfExists(target);
        if (Files.isDirectory(there)) {
            Files.createDirectory(target);
        } else {
            Files.createFile(target);
        }
        bindOne(base, there, target);
        Path made = target.resolveSibling(target.getFileName() + "-made");
        for (Path name : missing) {
            // The parent is the mount itself, so that no other directory can take its place.
            Files.createDirectory(target.resolve(name));
            Files.createDirectories(made);
            bindOne(base, target.resolve(name), made);
            PodFiles.permit(made, PodFiles.mode(base), null);
            PodFiles.unmount(target);
            bindOne(base, made, target);
            PodFiles.unmount(made);
        }
    }

    private static void bindOne(Path volume, Path source, Path target) throws IOException {
        PodFiles.run("mount", "--bind", source.toString(), target.toString());
        if (!read().showsPartOf(volume, target)) {
            PodFiles.unmount(target);
            throw new IOException(source + " leads out of the volume " + volume);
        }
    }
}
