package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.wheelhouse.node.cri.PodFiles.Content;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
    void aUidThatIsNoNameLeadsToNoOtherDirectory() {
        NodeFolders folders = new NodeFolders(folder);
        for (String uid : List.of("../..", "/etc", "a/../../b", "..", "", "a\u0000b")) {
            assertThat(folders.disk(uid)).isEqualTo(folder.resolve("pods/no-name"));
            assertThat(folders.memory(uid)).isEqualTo(folder.resolve("memory/no-name"));
        }
        assertThat(folders.disk("7c1f-00")).isEqualTo(folder.resolve("pods/7c1f-00"));
    }
}
