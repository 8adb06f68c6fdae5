package dev.wheelhouse.apiserver.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import org.h2.mvstore.MVStore;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.Sizes;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/** A damaged file is refused in one sentence, or its content is complete: lost data never goes unnoticed. */
@Tag("sized")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(900)
class DamagedFileTest {
    private static final int KEPT_WRITES = 60;
    private static final int PAGE = 4096;
    private static final int SAMPLE = Sizes.of("wheelhouse.damages", 3, 40, 400);

    @TempDir
    private static Path directory;

    private byte[] good = {};
    private byte[] newest = {};
    private List<String> content = List.of();

    @BeforeAll
    void fill() throws IOException {
        Random random = new Random(5);
        try (ObjectStore store = open()) {
            for (int i = 0; i < 700; i++) {
                String name = "n" + random.nextInt(200);
                StoredObject present = store.get("configmaps", "ns", name);
                if (present == null) {
                    store.create("configmaps", object(name, random));
                } else if (random.nextInt(4) == 0) {
                    store.delete("configmaps", "ns", name, present.version());
                } else {
                    store.update("configmaps", object(name, random), present.version());
                }
            }
            content = content(store);
        }
        try (MVStore store = bare()) {
            store.setRetentionTime(0);
            store.compactFile(2000);
        }
        good = Files.readAllBytes(directory.resolve(DirectoryStorage.FILE));
        newest = Files.readAllBytes(directory.resolve(DirectoryStorage.NEWEST));
        assertThat(good.length).isGreaterThan(10 * PAGE);
        try (ObjectStore store = open()) {
            assertThat(content(store)).describedAs("the file that is going to be damaged").isEqualTo(content);
        }
    }

    /** The file below the storage. It has no background thread, which could write between two lines of a test. */
    private static MVStore bare() {
        return new MVStore.Builder().fileName(directory.resolve(DirectoryStorage.FILE).toString())
                .autoCommitDisabled().open();
    }

    private ObjectStore open() {
        return open(Storage.inDirectory(directory, KEPT_WRITES, false));
    }

    private static ObjectStore open(Storage storage) {
        return new ObjectStore(new ManualClock(), new Retention(100, Duration.ofMinutes(5), 100, 1_000_000), storage);
    }

    private static ObjectNode object(String name, Random random) {
        ObjectNode object = Json.object().put("kind", "ConfigMap").put("apiVersion", "v1");
        object.putObject("metadata").put("name", name).put("namespace", "ns");
        byte[] data = new byte[random.nextInt(700)];
        random.nextBytes(data);
        object.putObject("data").put("x", Base64.getEncoder().encodeToString(data));
        return object;
    }

    private static List<String> content(ObjectStore store) {
        List<String> objects = new ArrayList<>(List.of("version " + store.version()));
        store.snapshot("configmaps").select(Selection.all())
                .forEach(object -> objects.add(object.name() + " " + object.version() + " " + object.tree()));
        return objects;
    }

    interface Damage {
        byte[] of(byte[] file);
    }

    private Stream<Damage> damages() {
        List<Damage> damages = new ArrayList<>();
        for (int seed = 0; seed < SAMPLE; seed++) {
            Random random = new Random(seed);
            damages.add(named("flipped bits, seed " + seed, file -> {
                for (int i = 0; i <= random.nextInt(8); i++) {
                    file[random.nextInt(file.length)] ^= (byte) (1 << random.nextInt(8));
                }
                return file;
            }));
            damages.add(named("noise, seed " + seed, file -> {
                byte[] noise = new byte[1 + random.nextInt(600)];
                random.nextBytes(noise);
                System.arraycopy(noise, 0, file, random.nextInt(file.length - noise.length), noise.length);
                return file;
            }));
        }
        int step = Math.max(1, good.length / PAGE / SAMPLE) * PAGE;
        for (int at = 0; at + PAGE <= good.length; at += step) {
            int begin = at;
            damages.add(named("cut after " + at + " bytes", file -> Arrays.copyOf(file, begin)));
            damages.add(named("zeros from " + at + " on", file -> {
                Arrays.fill(file, begin, begin + PAGE, (byte) 0);
                return file;
            }));
            damages.add(named("the page at " + at + " changed with the next", file -> {
                int next = begin + PAGE + PAGE <= file.length ? begin + PAGE : 0;
                byte[] one = Arrays.copyOfRange(file, begin, begin + PAGE);
                System.arraycopy(file, next, file, begin, PAGE);
                System.arraycopy(one, 0, file, next, PAGE);
                return file;
            }));
        }
        damages.add(named("both headers zero", file -> {
            Arrays.fill(file, 0, 2 * PAGE, (byte) 0);
            return file;
        }));
        return damages.stream();
    }

    private static Damage named(String name, Damage damage) {
        return new Damage() {
            @Override
            public byte[] of(byte[] file) {
                return damage.of(file);
            }

            @Override
            public String toString() {
                return name;
            }
        };
    }

    @ParameterizedTest
    @MethodSource("damages")
    void isRefusedInOneSentenceOrMadeNoDifference(Damage damage) throws IOException {
        put(damage.of(good.clone()));
        ObjectStore store;
        try {
            store = open();
        } catch (StorageException e) {
            assertThat(e.getMessage()).startsWith("the data directory " + directory + " is ")
                    .contains("--wheelhouse.apiserver.data-dir=DIR").doesNotContain("\n", "in use by another process")
                    .hasSizeLessThan(700);
            return;
        }
        try (store) {
            assertThat(content(store)).isEqualTo(content);
            writesAreKeptOrRefused(store);
        }
    }

    /** Later writes can meet damage, too, because compaction reads old pages. They are stored or refused. */
    private static void writesAreKeptOrRefused(ObjectStore store) {
        Random random = new Random(1);
        for (int i = 0; i < 200; i++) {
            try {
                store.create("configmaps", object("later" + i, random));
            } catch (StoreException.Failed e) {
                assertThat(e.getMessage()).contains("restore it from a copy").doesNotContain("\n");
                assertThat(store.get("configmaps", "ns", "later" + i)).isNull();
                return;
            }
        }
    }

    private void put(byte[] file) throws IOException {
        Files.write(directory.resolve(DirectoryStorage.FILE), file);
        Files.write(directory.resolve(DirectoryStorage.NEWEST), newest);
    }

    @Test
    void aFileThatCouldNotBeOpenedIsNotLeftLocked() throws IOException {
        for (int reads = 0; reads < 6; reads++) {
            put(good);
            Storage storage = FailingDisk.storage(directory, KEPT_WRITES);
            FailingDisk.overflowAfter(reads);
            try {
                open(storage).close();
                fail("read " + reads + " was not needed");
            } catch (StorageException e) {
                assertThat(e.getMessage()).contains("is damaged");
            } finally {
                FailingDisk.mend();
            }
            try (ObjectStore store = open()) {
                assertThat(content(store)).isEqualTo(content);
            }
        }
    }

    @Test
    void aDirectoryOfALaterFormatIsRefusedByItsNumber() throws IOException {
        put(good);
        try (MVStore store = bare()) {
            store.openMap("facts").put("format", "3");
            store.openMap("facts").put(DirectoryStorage.RELEASE, "0.9.0");
        }
        try {
            open().close();
            fail("a format that is not known was opened");
        } catch (StorageException e) {
            assertThat(e.getMessage()).isEqualTo("the data directory " + directory
                    + " is of format 3, written by Wheelhouse 0.9.0, and this version reads only up to 2: start "
                    + "the version that wrote it, or "
                    + "choose another one with --wheelhouse.apiserver.data-dir=DIR");
        }
    }

    @Test
    void aDirectoryOfTheFormatBeforeIsTakenOver() throws IOException {
        put(good);
        try (MVStore store = bare()) {
            store.openMap("facts").put("format", "1");
            store.openMap("facts").remove("compacted-sum");
        }
        for (int i = 0; i < 2; i++) {
            try (ObjectStore store = open()) {
                assertThat(content(store)).isEqualTo(content);
            }
        }
    }
}
