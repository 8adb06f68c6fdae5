package dev.wheelhouse.runtime;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class PrivateFilesTest {
    @TempDir
    private Path directory;

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void directoriesThatAreMadeAreTheirOwnersAloneAndThoseThatWereThereKeepTheirRights() throws IOException {
        Path there = Files.createDirectory(directory.resolve("there"));
        Files.setPosixFilePermissions(there, PosixFilePermissions.fromString("rwxr-xr-x"));

        PrivateFiles.createDirectories(there.resolve("a/b"));

        assertThat(mode(there)).isEqualTo("rwxr-xr-x");
        assertThat(mode(there.resolve("a"))).isEqualTo("rwx------");
        assertThat(mode(there.resolve("a/b"))).isEqualTo("rwx------");
    }

    @Test
    void aFileIsReplacedAsAWholeEvenOneThatAnybodyCouldRead() throws IOException {
        Path file = Files.writeString(directory.resolve("kept"), "a longer text than the next");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));

        PrivateFiles.write(file, bytes("next"));

        assertThat(Files.readString(file)).isEqualTo("next");
        assertThat(mode(file)).isEqualTo("rw-------");
        assertThat(directory).as("nothing is left over").isDirectoryContaining(p -> p.endsWith("kept"))
                .isDirectoryNotContaining("glob:**/.*");
    }

    /** The old content is there until the new is whole: a reader that has the old file open reads it to its end. */
    @Test
    void aWriteThatFailsLeavesTheOldFile() throws IOException {
        Path file = directory.resolve("occupied");
        Files.createDirectories(file.resolve("by-a-directory"));

        assertThatThrownBy(() -> PrivateFiles.write(file, bytes("x"))).isInstanceOf(IOException.class);

        assertThat(file.resolve("by-a-directory")).isDirectory();
        assertThat(directory).isDirectoryNotContaining("glob:**/.*");
    }

    @Test
    void rightsOfOthersAreTakenAwayOnce() throws IOException {
        Path file = Files.writeString(directory.resolve("open"), "x");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));

        assertThat(PrivateFiles.secure(file)).isTrue();
        assertThat(PrivateFiles.secure(file)).isFalse();
        assertThat(mode(file)).isEqualTo("rw-------");
    }

    @Test
    void aFileOfAnotherUserIsRefused() throws IOException {
        assumeTrue(Files.getAttribute(directory, "unix:uid").equals(0), "only root can give a file away");
        Path file = Files.writeString(directory.resolve("foreign"), "x");
        Files.setAttribute(file, "unix:uid", 12345);

        assertThatThrownBy(() -> PrivateFiles.secure(file)).isInstanceOf(IOException.class)
                .hasMessageContaining("it belongs to the user 12345");
    }
}
