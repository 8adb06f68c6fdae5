package dev.wheelhouse.apiserver.store;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A store that keeps its objects in a directory. CrashTest tests what happens when the process is killed. */
class DirectoryStorageTest {
    private final ManualClock clock = new ManualClock();

    @TempDir
    Path directory;

    private ObjectStore open(int writes) {
        return new ObjectStore(clock, new Retention(100, Duration.ofMinutes(5), 100, 1_000_000),
                Storage.inDirectory(directory, writes, false));
    }

    private static ObjectNode object(String name, String label) {
        ObjectNode object = Json.object().put("kind", "ConfigMap").put("apiVersion", "v1");
        ObjectNode meta = object.putObject("metadata").put("name", name).put("namespace", "ns");
        meta.putObject("labels").put("x", label);
        return object;
    }

    @Test
    void everythingIsThereAgainAtTheSameVersionAndVersionsGoOn() {
        List<String> before;
        try (ObjectStore store = open(1000)) {
            StoredObject a = store.create("configmaps", object("a", "1"));
            store.update("configmaps", object("a", "2"), a.version());
            StoredObject b = store.create("configmaps", object("b", "1"));
            store.delete("configmaps", "ns", "b", b.version());
            store.create("secrets", object("s", "1"));
            before = ObjectStoreTest.drain(store.watch("configmaps", Selection.all(), 0));
        }
        try (ObjectStore store = open(1000)) {
            assertThat(store.version()).isEqualTo(5);
            assertThat(store.snapshot("configmaps").select(Selection.all())).extracting(StoredObject::name)
                    .containsExactly("a");
            assertThat(ObjectStoreTest.drain(store.watch("configmaps", Selection.all(), 0))).isEqualTo(before);
            assertThat(store.snapshotAt("configmaps", 3).select(Selection.all())).extracting(StoredObject::name)
                    .containsExactly("a", "b");
            assertThat(store.create("configmaps", object("c", "1")).version()).isEqualTo(6);
        }
    }

    @Test
    void whatIsCompactedIsExpiredAfterARestartAndEverythingElseIsComplete() {
        Random random = new Random(11);
        Map<String, Long> now = new TreeMap<>();
        List<Map<String, Long>> history = new ArrayList<>(List.of(Map.of()));
        long last = 0;
        for (int round = 0; round < 5; round++) {
            try (ObjectStore store = open(40)) {
                assertThat(store.version()).isEqualTo(last);
                int from = Math.max(0, (int) last - 40);
                for (int v = from; v <= last; v++) {
                    assertThat(names(store.snapshotAt("configmaps", v))).isEqualTo(history.get(v));
                    assertThat(ObjectStoreTest.drain(store.watch("configmaps", Selection.all(), v)))
                            .hasSize((int) last - v);
                }
                if (last > 60) {
                    long old = last - 60;
                    assertThatThrownBy(() -> store.watch("configmaps", Selection.all(), old))
                            .isInstanceOf(StoreException.Expired.class);
                    assertThatThrownBy(() -> store.watch("never-written", Selection.all(), old))
                            .isInstanceOf(StoreException.Expired.class);
                }
                for (int i = 0; i < 77; i++) {
                    String name = "n" + random.nextInt(12);
                    Long version = now.get(name);
                    if (version == null) {
                        now.put(name, store.create("configmaps", object(name, "1")).version());
                    } else if (random.nextInt(3) > 0) {
                        now.put(name, store.update("configmaps", object(name, "2"), version).version());
                    } else {
                        store.delete("configmaps", "ns", name, version);
                        now.remove(name);
                    }
                    history.add(Map.copyOf(now));
                }
                last = store.version();
            }
        }
    }

    private static Map<String, Long> names(Snapshot snapshot) {
        Map<String, Long> names = new TreeMap<>();
        snapshot.select(Selection.all()).forEach(object -> names.put(object.name(), object.version()));
        return names;
    }

    @Test
    void manyWritersAtOnceShareCommits() throws Exception {
        AtomicInteger commits = new AtomicInteger();
        Storage counted = new CountedStorage(Storage.inDirectory(directory, 10_000, true), commits);
        int writers = 16;
        int each = 50;
        try (ObjectStore store = new ObjectStore(clock, Retention.standard(), counted);
                ExecutorService threads = Executors.newFixedThreadPool(writers)) {
            List<Future<Void>> done = new ArrayList<>();
            for (int w = 0; w < writers; w++) {
                int writer = w;
                done.add(threads.submit(() -> {
                    for (int i = 0; i < each; i++) {
                        StoredObject made = store.create("configmaps", object("w" + writer + "-" + i, "1"));
                        assertThat(store.get("configmaps", "ns", made.name())).isSameAs(made);
                    }
                    return null;
                }));
            }
            for (Future<Void> one : done) {
                one.get();
            }
            assertThat(store.version()).isEqualTo(writers * each);
        }
        assertThat(commits.get()).isLessThan(writers * each);
        try (ObjectStore store = open(10_000)) {
            assertThat(store.snapshot("configmaps").select(Selection.all())).hasSize(writers * each);
        }
    }

    private record CountedStorage(Storage storage, AtomicInteger commits) implements Storage {
        @Override
        public Recovered load(Reader reader) {
            return storage.load(reader);
        }

        @Override
        public void commit(List<Write> writes) {
            commits.incrementAndGet();
            storage.commit(writes);
        }

        @Override
        public void resume(long version) {
            storage.resume(version);
        }

        @Override
        public void check() {
            storage.check();
        }

        @Override
        public boolean isDurable() {
            return true;
        }

        @Override
        public void close() {
            storage.close();
        }
    }

    @Test
    void nobodySeesAWriteThatIsNotKeptAndWritesGoOnWhenTheStorageDoes() {
        List<Long> resumedAt = new ArrayList<>();
        AtomicBoolean broken = new AtomicBoolean();
        List<String> seenDuringCommit = new ArrayList<>();
        ObjectStore[] holder = new ObjectStore[1];
        Storage storage = new Storage() {
            @Override
            public Recovered load(Reader reader) {
                return new Recovered(0, 0);
            }

            @Override
            public void commit(List<Write> writes) {
                ObjectStore store = holder[0];
                seenDuringCommit.add(store.version() + " "
                        + store.snapshot("configmaps").select(Selection.all()).size());
                if (broken.get()) {
                    throw StorageException.temporary("the disk is full", "full", null);
                }
            }

            @Override
            public void resume(long version) {
                if (broken.get()) {
                    throw StorageException.temporary("the disk is full still", "full", null);
                }
                resumedAt.add(version);
            }

            @Override
            public boolean isDurable() {
                return true;
            }

            @Override
            public void close() {
                // Nothing is open.
            }
        };
        ObjectStore store = new ObjectStore(clock, Retention.standard(), storage);
        holder[0] = store;
        Watcher watcher = store.watch("configmaps", Selection.all(), 0);
        store.create("configmaps", object("a", "1"));
        broken.set(true);
        assertThatThrownBy(() -> store.create("configmaps", object("b", "1")))
                .isInstanceOf(StoreException.Failed.class).hasMessage("the disk is full");
        assertThat(store.problem()).isEqualTo("full");
        clock.advance(Duration.ofSeconds(2));
        assertThatThrownBy(() -> store.create("configmaps", object("b", "1")))
                .isInstanceOf(StoreException.Failed.class).hasMessage("the disk is full still");
        broken.set(false);
        assertThatThrownBy(() -> store.create("configmaps", object("c", "1")))
                .as("asked once a second").isInstanceOf(StoreException.Failed.class);
        clock.advance(Duration.ofSeconds(2));
        assertThat(store.problem()).isNull();
        store.create("configmaps", object("c", "2"));
        assertThat(resumedAt).containsExactly(1L);
        assertThat(seenDuringCommit).containsExactly("0 0", "1 1", "1 1");
        assertThat(ObjectStoreTest.drain(watcher)).containsExactly("ADDED a 1 1", "ADDED c 2 2");
        assertThat(store.get("configmaps", "ns", "b")).isNull();
        store.close();
    }

    @Test
    void aDirectoryInUseIsRefusedInOneSentence() {
        try (ObjectStore first = open(10)) {
            assertThat(first.version()).isZero();
            assertThatThrownBy(() -> open(10)).isInstanceOf(StorageException.class)
                    .hasMessage("the data directory " + directory + " is in use by another process: end that one, or "
                            + "choose another one with --wheelhouse.apiserver.data-dir=DIR");
        }
    }

    @Test
    void aDamagedFileIsRefusedInOneSentence() throws IOException {
        fill();
        Path file = directory.resolve(DirectoryStorage.FILE);
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            byte[] noise = new byte[(int) bytes.length()];
            new Random(3).nextBytes(noise);
            bytes.write(noise);
        }
        assertThatThrownBy(() -> open(1000)).isInstanceOf(StorageException.class)
                .hasMessageStartingWith("the data directory " + directory + " is damaged (")
                .hasMessageContaining("restore it from a copy, or choose another one").hasMessageNotContaining("\n");
    }

    @Test
    void aFileThatWasReplacedByAnOlderOneIsRefused() throws IOException {
        fill();
        Path file = directory.resolve(DirectoryStorage.FILE);
        byte[] old = Files.readAllBytes(file);
        try (ObjectStore store = open(1000)) {
            store.create("configmaps", object("later", "1"));
        }
        Files.write(file, old);
        assertThatThrownBy(() -> open(1000)).isInstanceOf(StorageException.class)
                .hasMessageContaining("it ends at version 200, but version 201 was acknowledged")
                .hasMessageContaining("delete the file newest-version");
    }

    @Test
    void aPathThatIsAFileIsRefusedInOneSentence() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        assertThatThrownBy(() -> new ObjectStore(clock, Retention.standard(), Storage.inDirectory(file, 10, false)))
                .isInstanceOf(StorageException.class)
                .hasMessageStartingWith("the data directory " + file + " cannot be used (");
    }

    @ParameterizedTest
    @ValueSource(strings = {DirectoryStorage.FILE, DirectoryStorage.NEWEST})
    void aPipeOrADirectoryInPlaceOfAFileIsRefusedAndKeepsItsPermissions(String name) throws Exception {
        Path file = directory.resolve(name);
        Path target = Files.createDirectory(directory.resolve("target"), PosixFilePermissions.asFileAttribute(
                PosixFilePermissions.fromString("rwxr-xr-x")));
        Files.createSymbolicLink(file, target);
        assertRefused(file);
        assertThat(Files.getPosixFilePermissions(target)).hasSizeGreaterThan(3);
        Files.delete(file);
        assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor()).isZero();
        assertRefused(file);
    }

    private void assertRefused(Path file) {
        assertThatThrownBy(() -> open(10)).isInstanceOf(StorageException.class)
                .hasMessage("the file " + file + " cannot be used (it is not a regular file): see that it is a file of "
                        + "the user who runs the server, or choose another one with "
                        + "--wheelhouse.apiserver.data-dir=DIR");
    }

    @Test
    void aDirectoryThatDoesNotFitIntoTheHeapIsNotCalledDamaged() {
        fill();
        Storage storage = Storage.inDirectory(directory, 10, false);
        assertThatThrownBy(() -> storage.load(new Storage.Reader() {
            @Override
            public void object(long version, String resource, byte[] json) {
                throw new OutOfMemoryError("Java heap space");
            }

            @Override
            public void change(long version, String resource, String key, byte @Nullable [] json) {
                throw new OutOfMemoryError("Java heap space");
            }
        })).isInstanceOf(StorageException.class)
                .hasMessageStartingWith("the data directory " + directory + " could not be read with a heap of ")
                .hasMessageContaining("give the process a larger one with -Xmx").hasMessageNotContaining("\n");
    }

    /** A JVM that ends at the first OutOfMemoryError would end without a sentence. */
    @Test
    void aDirectoryOfAnEarlierProcessWithALargerHeapIsRefusedBeforeMemoryRunsOut() {
        fill();
        Storage storage = Storage.inDirectory(directory, 10, false);
        assertThatThrownBy(() -> new ObjectStore(clock, Retention.standard(), storage, 50_000))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("give the process a larger one with -Xmx").hasMessageNotContaining("\n");
        open(1000).close();
    }

    private void fill() {
        try (ObjectStore store = open(1000)) {
            for (int i = 0; i < 200; i++) {
                store.create("configmaps", object("n" + i, "x".repeat(200)));
            }
        }
    }
}
