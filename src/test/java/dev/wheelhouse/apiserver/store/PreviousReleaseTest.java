package dev.wheelhouse.apiserver.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Data directories that earlier releases wrote, one for each release with a change of the file. They are never written
 * again. A release that changes the file adds its own before the change: {@code -Dstorage.fixture=NAME} makes one.
 */
class PreviousReleaseTest {
    private static final Path FIXTURES = Path.of("src/test/resources/dev/wheelhouse/apiserver/store");
    private static final int KEPT_WRITES = 20;

    @TempDir
    private Path directory;

    private static ObjectStore open(Path directory) {
        return new ObjectStore(new ManualClock(), new Retention(100, Duration.ofMinutes(5), 100, 1_000_000),
                Storage.inDirectory(directory, KEPT_WRITES, true));
    }

    private static ObjectNode object(int number, String label) {
        ObjectNode object = Json.object().put("kind", "ConfigMap").put("apiVersion", "v1");
        object.putObject("metadata").put("name", "n" + number).put("namespace", "ns").putObject("labels").put("x",
                label);
        return object;
    }

    /** 30 objects, of which 10 are updated and 10 deleted; most of that is compacted. */
    private static void write(Path into) throws IOException {
        Files.createDirectories(into);
        try (ObjectStore store = open(into)) {
            for (int i = 0; i < 30; i++) {
                long version = store.create("configmaps", object(i, "1")).version();
                if (i % 3 == 1) {
                    store.update("configmaps", object(i, "2"), version);
                } else if (i % 3 == 2) {
                    store.delete("configmaps", "ns", "n" + i, version);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = "0.1.0")
    void aDirectoryOfAnEarlierReleaseOpensWithEveryObjectAndTakesWrites(String release) throws IOException {
        Path fixture = FIXTURES.resolve(release);
        if (release.equals(System.getProperty("storage.fixture"))) {
            write(fixture);
        }
        for (String file : List.of(DirectoryStorage.FILE, DirectoryStorage.NEWEST)) {
            Files.copy(fixture.resolve(file), directory.resolve(file));
        }
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            if (i % 3 != 2) {
                expected.add("n" + i + "=" + (i % 3 == 1 ? "2" : "1"));
            }
        }
        try (ObjectStore store = open(directory)) {
            assertThat(store.version()).isEqualTo(50);
            assertThat(contents(store)).containsExactlyInAnyOrderElementsOf(expected);
            assertThat(ObjectStoreTest.drain(store.watch("configmaps", Selection.all(), 40))).hasSize(10);
            assertThat(store.create("configmaps", object(99, "1")).version()).isEqualTo(51);
        }
        expected.add("n99=1");
        try (ObjectStore store = open(directory)) {
            assertThat(contents(store)).containsExactlyInAnyOrderElementsOf(expected);
        }
    }

    private static List<String> contents(ObjectStore store) {
        return store.snapshot("configmaps").select(Selection.all()).stream()
                .map(object -> object.name() + "=" + object.tree().path("metadata").path("labels").path("x").asString())
                .toList();
    }
}
