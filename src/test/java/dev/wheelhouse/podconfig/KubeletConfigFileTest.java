package dev.wheelhouse.podconfig;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class KubeletConfigFileTest {
    private static final String HEAD = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n";

    @TempDir
    Path directory;

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("config.yaml"), text);
    }

    @Test
    void theFieldsOnStaticPodsAreReadAndTheOthersAreNotLookedAt() throws IOException {
        KubeletConfigFile config = KubeletConfigFile.read(file(HEAD + """
                authentication: {webhook: {enabled: true}}
                staticPodPath: /etc/kubernetes/manifests
                staticPodURL: https://example.com/pods.yaml
                staticPodURLHeader: {Authorization: [Bearer x], Accept: [a, b]}
                fileCheckFrequency: 1m30s
                httpCheckFrequency: 0s
                """));

        assertThat(config).isEqualTo(new KubeletConfigFile(Path.of("/etc/kubernetes/manifests"),
                URI.create("https://example.com/pods.yaml"),
                Map.of("Authorization", List.of("Bearer x"), "Accept", List.of("a", "b")), Duration.ofSeconds(90),
                null));
    }

    @Test
    void aRelativePathIsMeantFromTheFilesOwnDirectory() throws IOException {
        assertThat(KubeletConfigFile.read(file(HEAD + "staticPodPath: pods\n")).staticPodPath())
                .isEqualTo(directory.resolve("pods"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"staticPodPath: [a]|line 3, staticPodPath: it is [\"a\"]: write text",
            "fileCheckFrequency: soon|line 3, fileCheckFrequency: it is \"soon\": write a duration, such as 20s or "
                    + "1m30s",
            "fileCheckFrequency: 20|line 3, fileCheckFrequency: it is 20: write text",
            "staticPodURL: ftp://x/y|line 3, staticPodURL: it is \"ftp://x/y\": write an absolute http or https URL",
            "staticPodURLHeader: a|line 3, staticPodURLHeader: write a map", "a: b: c|line 3: it is not YAML or JSON",
            "kind: Pod|line 3: the key \"kind\" is used twice"})
    void aFileThatCannotBeUsedIsRefusedWithLineFieldAndRemedy(String line, String message) throws IOException {
        Path file = file(HEAD + line + "\n");

        assertThatThrownBy(() -> KubeletConfigFile.read(file)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("config.yaml " + message);
    }

    @Test
    void aMissingFileADirectoryAndAnotherKindAreRefused() throws IOException {
        assertThatThrownBy(() -> KubeletConfigFile.read(directory.resolve("none")))
                .hasMessageContaining("there is no such file");
        assertThatThrownBy(() -> KubeletConfigFile.read(directory)).hasMessageContaining("it is a directory");
        Path pod = file("apiVersion: v1\nkind: Pod\n");
        assertThatThrownBy(() -> KubeletConfigFile.read(pod))
                .hasMessageContaining("line 2, kind: it is of kind \"Pod\"")
                .hasMessageContaining("KubeletConfiguration");
        Path empty = file("");
        assertThatThrownBy(() -> KubeletConfigFile.read(empty)).hasMessageContaining("0 documents");
    }
}
