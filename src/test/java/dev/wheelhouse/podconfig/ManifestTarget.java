package dev.wheelhouse.podconfig;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.fuzz.FuzzTarget;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A manifest of static pods, which may be a KubeletConfiguration as well: its pods, or one sentence that says what is
 * wrong with it. Written as JSON, the pods are read again as they were.
 */
public final class ManifestTarget implements FuzzTarget {
    private static final StaticPods STATIC = new StaticPods("node-1", true);

    private final Path file;

    public ManifestTarget() throws IOException {
        file = Files.createTempFile("fuzzed", ".yaml");
        file.toFile().deleteOnExit();
    }

    @Override
    public void run(byte[] input) throws IOException {
        Files.write(file, input);
        try {
            KubeletConfigFile.read(file);
        } catch (IllegalArgumentException e) {
            assertThat(e.getMessage()).isNotBlank().doesNotContain("java.");
        }
        readPods(input);
    }

    private static void readPods(byte[] input) {
        List<V1Pod> pods;
        try {
            pods = ManifestReader.read("the manifest", input, STATIC);
        } catch (ManifestException e) {
            assertThat(e.refusal().problem()).isNotBlank().doesNotContain("java.");
            return;
        }
        for (V1Pod pod : pods) {
            byte[] written = ModelJson.writeBytes(pod);
            V1Pod again = ModelJson.read(written, V1Pod.class);
            assertThat((Object) ModelJson.tree(again)).isEqualTo(ModelJson.tree(pod));
        }
    }

    /** SnakeYAML makes a token, an event and a node of each character, in the worst case. */
    @Override
    public long mostAllocated(int length) {
        return (64L << 20) + 4096L * length;
    }
}
