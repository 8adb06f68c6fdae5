package dev.wheelhouse.runtime;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Files that nobody but their owner may read: 0600 in directories of 0700, whatever the umask, from the first byte on.
 * On file systems without POSIX permissions the files are made without any.
 */
public final class PrivateFiles {
    private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> DIRECTORY = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> OTHERS = EnumSet.of(PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE, PosixFilePermission.GROUP_EXECUTE, PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE, PosixFilePermission.OTHERS_EXECUTE);
    private static final int ROOT = 0;

    private PrivateFiles() {}

    /** Makes a directory, and those above it that are missing. Directories that exist keep their permissions. */
    public static void createDirectories(Path directory) throws IOException {
        if (Files.isDirectory(directory)) {
            return;
        }
        if (Files.exists(directory)) {
            throw new NotDirectoryException(directory.toString());
        }
        Path parent = directory.toAbsolutePath().getParent();
        if (parent != null) {
            createDirectories(parent);
        }
        try {
            Files.createDirectory(directory, attributes(directory, DIRECTORY));
            permit(directory, DIRECTORY);
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(directory)) {
                throw e;
            }
        }
    }

    /** Makes an empty file unless there is a file. @return whether it was made */
    public static boolean createIfMissing(Path file) throws IOException {
        try {
            Files.createFile(file, attributes(file, FILE));
            permit(file, FILE);
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    /**
     * Replaces a file as a whole: after a crash at any moment, or a loss of power, it is the old one or the new one.
     * The directory has to exist.
     */
    public static void write(Path file, byte[] content) throws IOException {
        Path target = file.toAbsolutePath();
        Path directory = target.getParent();
        if (directory == null) {
            throw new IOException(file + " is no file");
        }
        Path temporary = Files.createTempFile(directory, "." + target.getFileName() + ".", ".tmp",
                attributes(directory, FILE));
        try {
            try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
                ByteBuffer bytes = ByteBuffer.wrap(content);
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(true);
            }
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(temporary);
        }
        syncDirectory(directory);
    }

    /** Makes the names in a directory outlive a loss of power, where the platform can. */
    private static void syncDirectory(Path directory) throws IOException {
        if (isPosix(directory)) {
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    /**
     * Takes the rights of others to a file or directory of this user's away; what belongs to root, as a mounted file
     * does, is left as it is.
     *
     * @return whether there were any
     * @throws IOException if it belongs to another user, who may have read or made it
     */
    public static boolean secure(Path path) throws IOException {
        if (!isPosix(path)) {
            return false;
        }
        boolean directory = Files.isDirectory(path);
        int owner = uid(path);
        int me = myUid(directory ? path : path.toAbsolutePath().getParent());
        if (owner != me) {
            if (owner == ROOT) {
                return false;
            }
            throw new IOException("it belongs to the user " + Files.getOwner(path)
                    + ", who may have read or made it");
        }
        if (!isOpen(path)) {
            return false;
        }
        permit(path, directory ? DIRECTORY : FILE);
        return true;
    }

    /** Whether this user owns it. */
    public static boolean isMine(Path directory) throws IOException {
        return !isPosix(directory) || uid(directory) == myUid(directory);
    }

    /** Whether anybody but the owner has any right to it. */
    public static boolean isOpen(Path path) throws IOException {
        return isPosix(path) && Files.getPosixFilePermissions(path).stream().anyMatch(OTHERS::contains);
    }

    private static int uid(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:uid");
    }

    /** As the file system sees this process, which on mounts that map users is not as the machine does. */
    private static int myUid(@Nullable Path directory) throws IOException {
        if (directory == null) {
            throw new IOException("it is in no directory");
        }
        Path probe;
        try {
            probe = Files.createTempFile(directory, ".owner", ".tmp");
        } catch (IOException e) {
            // Nothing can be made there; the machine's own view is as good on all but such mounts.
            return uid(Path.of("/proc/self"));
        }
        try {
            return (int) Files.getAttribute(probe, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        } finally {
            Files.deleteIfExists(probe);
        }
    }

    private static FileAttribute<?>[] attributes(Path path, Set<PosixFilePermission> permissions) {
        return isPosix(path)
                ? new FileAttribute<?>[]{PosixFilePermissions.asFileAttribute(permissions)}
                : new FileAttribute<?>[0];
    }

    private static void permit(Path path, Set<PosixFilePermission> permissions) throws IOException {
        if (isPosix(path) && !Files.getPosixFilePermissions(path).equals(permissions)) {
            Files.setPosixFilePermissions(path, permissions);
        }
    }

    private static boolean isPosix(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }
}
