package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/** The limits of what a pod may use of the disk. */
class DiskLimitsTest {
    private static final NodeFolders FOLDERS = new NodeFolders(Path.of("/n"));
    private static final Map<String, Path> PLACES = Map.of("v", Path.of("/n/pods/u/volumes/v"), "w",
            Path.of("/n/pods/u/volumes/w"), "log a", Path.of("/n/logs/default_p_u/a"), "log b",
            Path.of("/n/logs/default_p_u/b"));
    private static final String LIMITED = "{name: a, resources: {limits: {ephemeral-storage: 1Ki}}}, {name: b, "
            + "resources: {limits: {ephemeral-storage: 2Ki}}}";

    private static V1Pod pod(String containers, String volumes) {
        return Yaml.read("{metadata: {namespace: default, name: p, uid: u}, spec: {containers: [" + containers
                + "], volumes: [" + volumes + "]}}", V1Pod.class);
    }

    private static List<Path> measured(String containers, String volumes) throws IOException {
        List<Path> measured = new ArrayList<>();
        DiskLimits.exceeded(pod(containers, volumes), FOLDERS, path -> {
            measured.add(path);
            return 0;
        }, Map::of);
        return measured;
    }

    @Test
    void onlyWhatHasALimitIsMeasured() throws IOException {
        assertThat(
                measured("{name: a}", "{name: v, emptyDir: {}}, {name: m, emptyDir: {medium: Memory, sizeLimit: 1}}"))
                .isEmpty();
        assertThat(measured("{name: a}", "{name: v, emptyDir: {}}, {name: w, emptyDir: {sizeLimit: 1Mi}}"))
                .containsExactly(PLACES.get("w"));
        assertThat(measured(LIMITED, "{name: v, emptyDir: {}}, {name: h, hostPath: {path: /}}"))
                .containsExactly(PLACES.get("v"), PLACES.get("log a"), PLACES.get("log b"));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', nullValues = "-", value = {
            "v 1024 | -",
            "v 1025 | Usage of EmptyDir volume \"v\" exceeds the limit \"1Ki\". ",
            "log a 1024 | -",
            "log a 1025 | Container a exceeded its local ephemeral storage limit \"1Ki\". ",
            "log a 1000, layer a 25 | Container a exceeded its local ephemeral storage limit \"1Ki\". ",
            "log b 1025 | -",
            "w 3072 | -",
            "w 3072, log b 1 | Pod ephemeral local storage usage exceeds the total limit of containers 3Ki. ",
            "layer b 2049, v 1 | Container b exceeded its local ephemeral storage limit \"2Ki\". "})
    void theLimitThatIsExceededIsNamed(String usage, String expected) throws IOException {
        Map<Path, Long> bytes = new HashMap<>();
        Map<String, Long> layers = new HashMap<>();
        for (String each : usage.split(", ")) {
            String place = each.substring(0, each.lastIndexOf(' '));
            long size = Long.parseLong(each.substring(each.lastIndexOf(' ') + 1));
            if (place.startsWith("layer ")) {
                layers.put(place.substring(6), size);
            } else {
                bytes.put(PLACES.get(place), size);
            }
        }
        assertThat(DiskLimits.exceeded(pod(LIMITED, "{name: v, emptyDir: {sizeLimit: 1Ki}}, {name: w, emptyDir: {}}"),
                FOLDERS, path -> bytes.getOrDefault(path, 0L), () -> layers))
                .isEqualTo(expected == null ? null : expected.strip() + " ");
    }

    @Test
    void aLimitOfNothingIsNone() throws IOException {
        assertThat(DiskLimits.exceeded(pod("{name: a}", "{name: v, emptyDir: {sizeLimit: 0}}"), FOLDERS, path -> 5,
                Map::of)).isNull();
    }
}
