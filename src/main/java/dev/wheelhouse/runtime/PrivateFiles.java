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
 * Files that only their owner may read and write. Files have the mode 0600 and directories 0700 from their creation on,
 * whatever the umask. A file system without POSIX permissions sets none.
 */
public final class PrivateFiles {
    private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> DIRECTORY = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> OTHERS = EnumSet.of(PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE, PosixFilePermission.GROUP_EXECUTE, PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE, PosixFilePermission.OTHERS_EXECUTE);
    private static final int ROOT = 0;

    private PrivateFiles() {}

    /** Makes a directory and its missing parents. Directories that exist keep their permissions. */
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

    /** Makes an empty file unless the file exists. @return whether it was made */
    public static boolean createIfMissing(Path file) throws IOException {
        try {
            Files.createFile(file, attributes(file, FILE));
            permit(file, FILE);
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    /** Refuses a pipe, whose opening may never end, a device, which keeps nothing, and a directory. */
    public static void requireFile(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new IOException("it is not a regular file");
        }
    }

    /**
     * Replaces a file atomically: after a crash or a loss of power at any moment, the file has the old or the new
     * content. Its directory must exist.
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

    /** Makes the new name of a file survive a loss of power, on platforms that can sync a directory. */
    private static void syncDirectory(Path directory) throws IOException {
        if (isPosix(directory)) {
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    /**
     * Removes the rights of other users to a file or directory of this user. A file of root, such as a mounted one, is
     * left as it is.
     *
     * @return whether other users had any rights
     * @throws IOException if the file belongs to another user except root, who may have read or made it
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
        if (!isAccessibleToOthers(path)) {
            return false;
        }
        permit(path, directory ? DIRECTORY : FILE);
        return true;
    }

    /** Whether this user owns a directory; true if the file system has no owners. */
    public static boolean isOwnedByThisUser(Path directory) throws IOException {
        return !isPosix(directory) || uid(directory) == myUid(directory);
    }

    /** Whether anybody but the owner has any right to a file or directory. */
    public static boolean isAccessibleToOthers(Path path) throws IOException {
        return isPosix(path) && Files.getPosixFilePermissions(path).stream().anyMatch(OTHERS::contains);
    }

    private static int uid(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:uid");
    }

    /**
     * This process' user in the view of the file system: the owner of a new file. On mounts that map users it differs
     * from the process' own view.
     */
    private static int myUid(@Nullable Path directory) throws IOException {
        if (directory == null) {
            throw new IOException("it is in no directory");
        }
        Path probe;
        try {
            probe = Files.createTempFile(directory, ".owner", ".tmp");
        } catch (IOException e) {
            // No file can be made in the directory. The process' own view is right, except on mounts that map users.
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
