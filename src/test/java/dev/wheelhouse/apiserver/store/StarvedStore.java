package dev.wheelhouse.apiserver.store;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.runtime.Clock;

/** A process with a store on a data directory and too little memory, for StarvedStoreTest. */
final class StarvedStore {
    private static final int WRITERS = 4;
    private static final int NAMES = 6;
    private static final int WARM_UP = 100;
    private static final int WRITES_WITH_MEMORY = 20;
    /** The number of acknowledged writes, with those before memory is short, after which the process ends. */
    private static final int ENOUGH = 250;
    private static final Duration FULL_FOR = Duration.ofMillis(2);
    private static final Duration FREE_FOR = Duration.ofMillis(60);

    private StarvedStore() {}

    private static volatile ObjectStore store;
    private static volatile boolean mustOpenAgain;
    private static final AtomicInteger acknowledged = new AtomicInteger();

    /**
     * Prints each acknowledged write, as a name and a version, and a line of other words if the directory cannot be
     * opened.
     *
     * @param args the data directory, and the longest lifetime in milliseconds
     */
    public static void main(String[] args) throws IOException {
        Path directory = Path.of(args[0]);
        OutputStream out = new FileOutputStream(FileDescriptor.out);
        store = open(directory);
        // The classes are loaded before memory runs out.
        for (int i = 0; i < WARM_UP; i++) {
            try {
                write("warm-" + i, 0, 100, OutputStream.nullOutputStream());
            } catch (StoreException.Exists e) {
                // An earlier process has made it.
            }
        }
        for (int w = 0; w < WRITERS; w++) {
            int writer = w;
            Thread.ofPlatform().start(() -> write(writer, out));
        }
        Thread.ofPlatform().start(StarvedStore::takeAllMemory);
        long end = System.nanoTime() + Duration.ofMillis(Long.parseLong(args[1])).toNanos();
        while (end - System.nanoTime() > 0 && acknowledged.get() < ENOUGH) {
            LockSupport.parkNanos(FULL_FOR.toNanos());
            if (mustOpenAgain) {
                try {
                    store.close();
                    store = open(directory);
                    mustOpenAgain = false;
                } catch (StorageException e) {
                    if (!e.getMessage().contains("could not be read with a heap of")) {
                        out.write((e.getMessage() + "\n").getBytes(StandardCharsets.UTF_8));
                        Runtime.getRuntime().halt(1);
                    }
                } catch (RuntimeException | Error e) {
                    // There was no memory for it. The next turn tries again.
                }
            }
        }
        // As kill -9 does: the store is not closed.
        Runtime.getRuntime().halt(0);
    }

    private static ObjectStore open(Path directory) {
        return new ObjectStore(new FastClock(), Retention.standard(), Storage.inDirectory(directory, 50, false));
    }

    /** A second after a failure, which is ten milliseconds here, the store asks the storage again. */
    private static final class FastClock implements Clock {
        @Override
        public Instant now() {
            return Instant.now();
        }

        @Override
        public long nanoTime() {
            return 100 * System.nanoTime();
        }
    }

    private static void takeAllMemory() {
        Random random = new Random();
        int enough = acknowledged.get() + WRITES_WITH_MEMORY;
        while (acknowledged.get() < enough) {
            LockSupport.parkNanos(FULL_FOR.toNanos());
        }
        while (true) {
            List<byte[]> taken = new ArrayList<>();
            try {
                while (true) {
                    taken.add(new byte[4 * 1024 + random.nextInt(64 * 1024)]);
                }
            } catch (OutOfMemoryError e) {
                LockSupport.parkNanos(FULL_FOR.toNanos());
            }
            taken = List.of();
            LockSupport.parkNanos(FREE_FOR.toNanos());
        }
    }

    private static void write(int writer, OutputStream out) {
        Random random = new Random(writer);
        long[] versions = new long[NAMES];
        while (true) {
            int i = random.nextInt(NAMES);
            try {
                versions[i] = write("w" + writer + "-" + i, versions[i], 500 + random.nextInt(8_000), out);
            } catch (StoreException.Conflict | StoreException.Exists e) {
                StoredObject present = store.get("configmaps", "ns", "w" + writer + "-" + i);
                versions[i] = present == null ? 0 : present.version();
            } catch (RuntimeException | Error e) {
                mustOpenAgain |= e instanceof StoreException.Failed failed
                        && failed.reason().contains("start it again");
                LockSupport.parkNanos(FULL_FOR.toNanos());
            } catch (IOException e) {
                return;
            }
        }
    }

    private static long write(String name, long version, int size, OutputStream out) throws IOException {
        ObjectNode object = Json.object().put("kind", "ConfigMap").put("apiVersion", "v1");
        object.putObject("metadata").put("namespace", "ns").put("name", name);
        object.putObject("data").put("x", "x".repeat(size));
        StoredObject written = version == 0
                ? store.create("configmaps", object)
                : store.update("configmaps", object, version);
        out.write((name + " " + written.version() + "\n").getBytes(StandardCharsets.UTF_8));
        acknowledged.incrementAndGet();
        return written.version();
    }
}
