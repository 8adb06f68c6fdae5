package dev.wheelhouse.apiserver.store;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.Logged;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.rest.RestServer;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A disk that fails writes for some time. */
@Timeout(900)
@Isolated
class FullDiskTest {
    private static final String MAPS = "/api/v1/namespaces/default/configmaps";

    @TempDir
    private Path directory;

    private final ManualClock clock = new ManualClock();

    @AfterEach
    void mend() {
        FailingDisk.mend();
    }

    private ObjectStore open() {
        return new ObjectStore(clock, Retention.standard(), FailingDisk.storage(directory, 100));
    }

    private static ApiResponse.Content ask(RestServer server, String method, String path, String body) {
        return (ApiResponse.Content) server.handle(ApiRequest.of(method, path, "application/json",
                body.isEmpty() ? null : body.getBytes(java.nio.charset.StandardCharsets.UTF_8)));
    }

    private static String text(ApiResponse.Content answer) {
        return answer.code() + " " + new String(answer.body(), java.nio.charset.StandardCharsets.UTF_8);
    }

    private static ApiResponse.Content create(RestServer server, String name) {
        return ask(server, "POST", MAPS, "{\"metadata\":{\"name\":\"%s\"}}".formatted(name));
    }

    @ParameterizedTest
    @CsvSource({"No space left on device,make room on its disk", "Disk quota exceeded,make room on its disk",
            "Read-only file system,mount its file system writable",
            "Permission denied,let the user who runs the server write to it",
            "Input/output error,see that its disk works"})
    void writesAnswer503WithTheReasonWhileReadsGoOnAndWritesDoWhenTheDiskDoes(String words, String remedy) {
        try (ObjectStore store = open();
                Logged logged = Logged.by("dev.wheelhouse.apiserver")) {
            RestServer server = new RestServer(store, clock, new SplittableRandom(1));
            assertThat(create(server, "before").code()).isEqualTo(201);
            assertThat(text(ask(server, "GET", "/readyz", ""))).isEqualTo("200 ok");

            FailingDisk.failAfter(0, words);
            for (int i = 0; i < 20; i++) {
                ApiResponse.Content refused = create(server, "refused");
                JsonNode status = Json.read(refused.body());
                assertThat(refused.code()).isEqualTo(503);
                assertThat(refused.retryAfter()).isEqualTo(1);
                assertThat(Json.text(status, "reason")).isEqualTo("ServiceUnavailable");
                assertThat(Json.text(status, "message")).isEqualTo("the data directory " + directory
                        + " takes no writes (" + words + "): " + remedy + ", and it goes on by itself");
                clock.advance(Duration.ofMillis(300));
            }
            assertThat(text(ask(server, "GET", "/readyz", ""))).startsWith("500 ")
                    .contains("[-]etcd failed: writes are refused: " + words + "\n", "readyz check failed\n")
                    .doesNotContain(directory.toString());
            assertThat(text(ask(server, "GET", "/readyz?exclude=etcd", ""))).isEqualTo("200 ok");
            assertThat(text(ask(server, "GET", "/readyz/etcd", ""))).startsWith("500 ").contains(words);
            assertThat(text(ask(server, "GET", "/livez", ""))).as("a restart would not help").isEqualTo("200 ok");
            assertThat(ask(server, "GET", MAPS + "/before", "").code()).isEqualTo(200);
            assertThat(ask(server, "GET", MAPS + "/refused", "").code()).isEqualTo(404);

            FailingDisk.mend();
            clock.advance(Duration.ofSeconds(2));
            assertThat(text(ask(server, "GET", "/readyz", ""))).as("without a write").isEqualTo("200 ok");
            assertThat(create(server, "refused").code()).isEqualTo(201);

            assertThat(logged.lines()).filteredOn(line -> line.contains(words)).singleElement().asString()
                    .endsWith("until then writes are refused, and reads go on");
            assertThat(logged.lines()).last().asString().contains("writes are taken again after 8 s");
        }
    }

    /** The disk fails at random operations, the first time within a write. Now and then the store is closed or dies. */
    @ParameterizedTest
    @CsvSource({"1,No space left on device", "2,No space left on device", "3,No space left on device",
            "4,No space left on device", "5,No space left on device", "6,No space left on device",
            "1," + FailingDisk.OUT_OF_MEMORY, "2," + FailingDisk.OUT_OF_MEMORY, "3," + FailingDisk.OUT_OF_MEMORY,
            "4," + FailingDisk.OUT_OF_MEMORY, "5," + FailingDisk.OUT_OF_MEMORY, "6," + FailingDisk.OUT_OF_MEMORY})
    void nothingAcknowledgedIsLostAndNothingRefusedComesBack(int seed, String words) {
        Random random = new Random(seed);
        Map<String, Long> kept = new TreeMap<>();
        for (int life = 0; life < 4; life++) {
            Storage storage = FailingDisk.storage(directory, 30);
            ObjectStore store = new ObjectStore(clock, Retention.standard(), storage);
            assertThat(content(store)).isEqualTo(kept);
            for (int i = 0; i < 150; i++) {
                if (random.nextInt(12) == 0) {
                    FailingDisk.failAfter(random.nextInt(6), words);
                }
                if (random.nextInt(6) == 0) {
                    FailingDisk.mend();
                    clock.advance(Duration.ofSeconds(20));
                }
                writeAnything(store, random, kept);
                assertThat(content(store)).isEqualTo(kept);
            }
            boolean inGoodOrder = random.nextBoolean();
            if (inGoodOrder || random.nextBoolean()) {
                FailingDisk.mend();
            }
            if (inGoodOrder) {
                store.close();
            } else {
                // As when the process dies: the file stays as it is, and its lock is released.
                storage.close();
            }
            FailingDisk.mend();
        }
    }

    private static void writeAnything(ObjectStore store, Random random, Map<String, Long> kept) {
        String name = "n" + random.nextInt(15);
        Long version = kept.get(name);
        try {
            if (version == null) {
                kept.put(name, store.create("configmaps", object(name)).version());
            } else if (random.nextInt(3) == 0) {
                store.delete("configmaps", "default", name, version);
                kept.remove(name);
            } else {
                kept.put(name, store.update("configmaps", object(name), version).version());
            }
        } catch (StoreException.Failed e) {
            assertThat(e.reason()).isIn("No space left on device", "out of memory");
        }
    }

    private static ObjectNode object(String name) {
        ObjectNode object = Json.object().put("kind", "ConfigMap").put("apiVersion", "v1");
        object.putObject("metadata").put("name", name).put("namespace", "default");
        return object;
    }

    private static Map<String, Long> content(ObjectStore store) {
        Map<String, Long> content = new TreeMap<>();
        store.snapshot("configmaps").select(Selection.all())
                .forEach(object -> content.put(object.name(), object.version()));
        return content;
    }

    /** A version is used again after its write was undone. A writer must not take another's write for its own. */
    @ParameterizedTest
    @ValueSource(strings = {"No space left on device", FailingDisk.OUT_OF_MEMORY})
    void ofManyWritersEachHearsOfItsOwnWrite(String words) throws Exception {
        int writers = 8;
        try (ObjectStore store = open(); ExecutorService threads = Executors.newFixedThreadPool(writers)) {
            CountDownLatch begin = new CountDownLatch(1);
            List<Future<List<String>>> acknowledged = new ArrayList<>();
            for (int w = 0; w < writers; w++) {
                String prefix = "w" + w + "-";
                acknowledged.add(threads.submit(() -> {
                    begin.await();
                    List<String> mine = new ArrayList<>();
                    for (int i = 0; i < 150; i++) {
                        try {
                            mine.add(prefix + i + " " + store.create("configmaps", object(prefix + i)).version());
                        } catch (StoreException.Failed e) {
                            FailingDisk.mend();
                            clock.advance(Duration.ofSeconds(20));
                        }
                        if (i % 40 == 20) {
                            FailingDisk.failAfter(2, words);
                        }
                    }
                    return mine;
                }));
            }
            begin.countDown();
            Map<String, Long> all = new TreeMap<>();
            for (Future<List<String>> one : acknowledged) {
                one.get().forEach(line -> all.put(line.split(" ")[0], Long.valueOf(line.split(" ")[1])));
            }
            assertThat(content(store)).isEqualTo(all);
        }
    }

    /** If the note stayed, a power failure would later undo writes that were acknowledged after it. */
    @Test
    void theNoteOfWhatIsUndoneIsOverBeforeWritesGoOnHereAndAfterARestart() throws Exception {
        Path note = directory.resolve(DirectoryStorage.NEWEST);
        try (ObjectStore store = open()) {
            store.create("configmaps", object("a"));
            FailingDisk.failAfter(0, "No space left on device");
            assertThatThrownBy(() -> store.create("configmaps", object("b")))
                    .isInstanceOf(StoreException.Failed.class);
            assertThat(Files.readString(note)).contains("1 ", "undone");
            FailingDisk.mend();
            clock.advance(Duration.ofSeconds(2));
            assertThat(store.problem()).isNull();
            assertThat(Files.readString(note)).contains("1 ").doesNotContain("undone");
            FailingDisk.failAfter(0, "No space left on device");
            assertThatThrownBy(() -> store.create("configmaps", object("b")))
                    .isInstanceOf(StoreException.Failed.class);
        }
        FailingDisk.mend();
        assertThat(Files.readString(note)).contains("undone");
        try (ObjectStore store = open()) {
            assertThat(store.version()).isEqualTo(1);
            assertThat(Files.readString(note)).doesNotContain("undone");
        }
    }

    @Test
    void aDiskThatIsFullAtTheStartIsOneSentence() {
        open().close();
        FailingDisk.failAfter(0, "No space left on device");
        ObjectStore store;
        try {
            store = open();
        } catch (StorageException e) {
            assertThat(e.getMessage()).isEqualTo("the data directory " + directory
                    + " takes no writes (No space left on device): make room on its disk, and start again");
            return;
        }
        try (store) {
            assertThatThrownBy(() -> store.create("configmaps", object("a")))
                    .isInstanceOf(StoreException.Failed.class);
        }
    }

    @Test
    void theFilesAreTheirOwnersAloneAlsoThoseThatAnOlderVersionLeftOpen() throws Exception {
        Path data = directory.resolve("a/data");
        for (int start = 0; start < 2; start++) {
            try (ObjectStore store = new ObjectStore(clock, Retention.standard(),
                    Storage.inDirectory(data, 10, false))) {
                store.create("configmaps", object("x" + start));
                for (Path path : List.of(data, data.resolve(DirectoryStorage.FILE),
                        data.resolve(DirectoryStorage.NEWEST))) {
                    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path))).as(path.toString())
                            .isEqualTo(Files.isDirectory(path) ? "rwx------" : "rw-------");
                }
            }
            Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.setPosixFilePermissions(data.resolve(DirectoryStorage.FILE),
                    PosixFilePermissions.fromString("rw-rw-r--"));
        }
    }

    @Test
    void aDirectoryWithOtherThingsInItStaysAsItIs() throws Exception {
        Files.createFile(directory.resolve("notes"));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        new ObjectStore(clock, Retention.standard(), Storage.inDirectory(directory, 10, false)).close();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory))).isEqualTo("rwxr-xr-x");
    }
}
