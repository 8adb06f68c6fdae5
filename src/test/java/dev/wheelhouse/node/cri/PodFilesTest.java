package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.wheelhouse.node.cri.PodFiles.Content;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class PodFilesTest {
    @TempDir
    Path folder;

    private static Content content(String text) {
        return new Content(text.getBytes(StandardCharsets.UTF_8), 0640);
    }

    private List<String> names() throws IOException {
        try (Stream<Path> names = Files.list(folder)) {
            return names.map(each -> each.getFileName().toString()).filter(name -> !name.startsWith("..")).sorted()
                    .toList();
        }
    }

    @Test
    void aChangeReplacesAllFilesByOneLink() throws IOException {
        PodFiles.write(folder, Map.of("a", content("1"), "b/c", content("2")), null);
        assertThat(folder.resolve("b/c")).hasContent("2");
        assertThat(Files.getAttribute(folder.resolve("a").toRealPath(), "unix:mode")).isEqualTo(0100640);
        Path before = folder.resolve("..data").toRealPath();

        PodFiles.write(folder, Map.of("a", content("3")), null);
        assertThat(folder.resolve("a")).hasContent("3");
        assertThat(names()).containsExactly("a");
        assertThat(before).doesNotExist();
    }

    @Test
    void aPathThatLeadsOutOfTheVolumeIsRefused() {
        for (String path : List.of("../x", "a/../../x", ".", "..")) {
            assertThatThrownBy(() -> PodFiles.write(folder, Map.of(path, content("1")), null))
                    .isInstanceOf(IOException.class).hasMessageContaining("leads out of the volume");
        }
    }

    @Test
    void deletingFollowsNoLink() throws IOException {
        Path other = Files.writeString(Files.createDirectories(folder.resolve("other")).resolve("kept"), "x");
        Path volume = Files.createDirectories(folder.resolve("volume/deep"));
        Files.createSymbolicLink(volume.resolve("link"), other.getParent());
        PodFiles.delete(folder.resolve("volume"));
        assertThat(folder.resolve("volume")).doesNotExist();
        assertThat(other).exists();
    }

    @Test
    void aVolumeThatIsDiscardedIsDeletedLater() throws IOException {
        NodeFolders folders = new NodeFolders(folder.resolve("real"));
        for (String each : List.of("pods/u", "logs/default_p_u", "memory", "../discarded_volumes")) {
            Files.createDirectories(folders.root().resolve(each));
        }
        Path volume = Files.createDirectories(folders.claimed("pvc-1"));
        Files.writeString(volume.resolve("x"), "x");
        Files.createDirectories(folders.claimed("pvc-2"));
        for (String name : List.of("pvc-1", "pvc-3", "../real", "..")) {
            NodeFolders.discard(folder, name);
        }
        assertThat(volume).doesNotExist();
        assertThat(folder.resolve("discarded_volumes/pvc-1/x")).exists();
        folders.retain("u"::equals);
        assertThat(folder.resolve("discarded_volumes")).isEmptyDirectory();
        assertThat(folders.claimed("pvc-2")).exists();
        assertThat(folder.resolve("real/pods/u")).exists();
    }

    @Test
    void aGroupOwnsAllFilesOfAVolume() throws IOException {
        assumeTrue("root".equals(System.getProperty("user.name")), "giving files to a group needs root");
        Path other = Files.writeString(Files.createDirectories(folder.resolve("other")).resolve("kept"), "x");
        Path volume = Files.createDirectories(folder.resolve("volume/deep")).getParent();
        Path file = Files.writeString(volume.resolve("deep/file"), "x");
        PodFiles.permit(file, 0500, null);
        Files.createSymbolicLink(volume.resolve("link"), other);
        PodFiles.own(volume, 2000, false);
        assertThat(Files.getAttribute(volume, "unix:mode")).isEqualTo(042775);
        assertThat(Files.getAttribute(file, "unix:mode")).isEqualTo(0100760);
        assertThat(Files.getAttribute(file, "unix:gid")).isEqualTo(2000);
        assertThat(Files.getAttribute(other, "unix:gid")).isEqualTo(0);

        PodFiles.permit(file, 0500, 0L);
        PodFiles.own(volume, 2000, true);
        assertThat(Files.getAttribute(file, "unix:gid")).as("left, as the volume itself is the group's").isEqualTo(0);
        PodFiles.own(volume, 2001, true);
        assertThat(Files.getAttribute(file, "unix:gid")).isEqualTo(2001);
    }

    @Test
    void directoriesAreMeasuredByWhatTheyTakeOfTheDisk() throws IOException {
        Files.write(folder.resolve("full"), new byte[100_000]);
        try (var sparse = FileChannel.open(folder.resolve("sparse"), StandardOpenOption.CREATE,
                StandardOpenOption.WRITE)) {
            sparse.write(ByteBuffer.allocate(1), 1L << 30);
        }
        assertThat(PodFiles.size(folder)).isBetween(100_000L, 1_000_000L);
        assertThat(PodFiles.size(folder.resolve("none"))).isZero();
    }

    @Test
    void aUidThatIsNoNameLeadsToNoOtherDirectory() {
        NodeFolders folders = new NodeFolders(folder);
        for (String uid : List.of("../..", "/etc", "a/../../b", "..", "", "a\u0000b")) {
            assertThat(folders.disk(uid)).isEqualTo(folder.resolve("pods/no-name"));
            assertThat(folders.memory(uid)).isEqualTo(folder.resolve("memory/no-name"));
        }
        assertThat(folders.disk("7c1f-00")).isEqualTo(folder.resolve("pods/7c1f-00"));
    }
}
