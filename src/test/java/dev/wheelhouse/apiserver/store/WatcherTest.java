package dev.wheelhouse.apiserver.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

/** A watch tells every change up to its end. One that is ended by another thread leaves out none in between. */
@Timeout(120)
class WatcherTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static ObjectNode object(String name, int size) {
        ObjectNode object = Json.object().put("kind", "ConfigMap").put("apiVersion", "v1");
        object.putObject("metadata").put("namespace", "ns").put("name", name);
        object.putObject("data").put("x", "x".repeat(size));
        return object;
    }

    private static ObjectStore store(long most) {
        return new ObjectStore(Clock.system(), Retention.standard(), Storage.inMemory(), most);
    }

    /** Several writers end late watches, one of them offers changes, and the readers of the watches are slow. */
    @Test
    void aWatchThatEndsBecauseItIsLateLeavesOutNoChangeBeforeItsLast() throws Exception {
        ObjectStore store = store(60_000);
        AtomicBoolean done = new AtomicBoolean();
        AtomicInteger ended = new AtomicInteger();
        List<String> gaps = new ArrayList<>();
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Future<?>> all = new ArrayList<>();
            for (int w = 0; w < 4; w++) {
                String name = "w" + w;
                all.add(threads.submit(() -> {
                    StoredObject object = store.create("configmaps", object(name, 2_000));
                    while (!done.get()) {
                        object = store.update("configmaps", object(name, 2_000), object.version());
                    }
                }));
            }
            for (int r = 0; r < 8; r++) {
                all.add(threads.submit(() -> {
                    while (!done.get()) {
                        String gap = watchUntilItEnds(store, done);
                        ended.incrementAndGet();
                        if (!gap.isEmpty()) {
                            gaps.add(gap);
                            done.set(true);
                        }
                    }
                }));
            }
            long end = System.nanoTime() + Duration.ofSeconds(Integer.getInteger("wheelhouse.stress", 4)).toNanos();
            Eventually.eventually("the time is over, or a gap was found", Duration.ofMinutes(2),
                    () -> done.get() || System.nanoTime() > end);
            done.set(true);
            for (Future<?> one : all) {
                one.get();
            }
        }
        assertThat(gaps).as("gaps in " + ended + " ended watches").isEmpty();
        assertThat(ended.get()).isGreaterThan(20);
        store.close();
    }

    /** All writes are to one resource, so a watch of all its objects tells of each version. */
    private static String watchUntilItEnds(ObjectStore store, AtomicBoolean done) {
        long last = store.version();
        try (Watcher watcher = store.watch("configmaps", Selection.all(), last)) {
            while (true) {
                boolean over = watcher.isClosed() || done.get();
                for (StoreEvent event = watcher.poll(); event != null; event = watcher.poll()) {
                    long version = event.object().version();
                    if (version != last + 1) {
                        return "version " + version + " came after version " + last;
                    }
                    last = version;
                    Thread.yield();
                }
                if (over) {
                    return "";
                }
            }
        } catch (StoreException.Expired e) {
            return "";
        }
    }

    @Test
    void aBookmarkIsNotLaterThanTheEndOfTheWatch() {
        try (ObjectStore store = store(1_000_000)) {
            Watcher watcher = store.watch("configmaps", Selection.all(), 0);
            store.cutWatches();
            store.create("configmaps", object("a", 1));
            assertThat(watcher.poll()).isNull();
            assertThat(watcher.progress()).as("who resumes from it would miss version 1").isEqualTo(-1);
        }
    }

    @Test
    void aReaderWhoseCallbackFailsLosesItsWatchAndNeitherTheWriterNorAnotherWatchAnything() {
        try (ObjectStore store = store(1_000_000)) {
            Watcher broken = store.watch("configmaps", Selection.all(), 0);
            Watcher good = store.watch("configmaps", Selection.all(), 0);
            AtomicInteger calls = new AtomicInteger();
            broken.onReady(() -> {
                if (calls.getAndIncrement() > 0) {
                    throw new IllegalStateException("planted");
                }
            });
            assertThat(store.create("configmaps", object("a", 1)).version()).isEqualTo(1);
            assertThat(good.poll()).isNotNull();
            assertThat(broken.isClosed()).isTrue();
            assertThat(broken.poll()).isNull();
        }
    }

    /** The last events of a deleted definition's objects are its watches' last ones. */
    @Test
    void theEndOfAResourcesWatchesWaitsForChangesThatAnotherThreadIsDelivering() throws Exception {
        try (ObjectStore store = store(1_000_000)) {
            Watcher slow = store.watch("configmaps", Selection.all(), 0);
            Watcher next = store.watch("configmaps", Selection.all(), 0);
            CountDownLatch delivering = new CountDownLatch(1);
            CountDownLatch goOn = new CountDownLatch(1);
            AtomicReference<Thread> writer = new AtomicReference<>();
            slow.onReady(() -> {
                if (Thread.currentThread() == writer.get()) {
                    delivering.countDown();
                    await(goOn);
                }
            });
            writer.set(Thread.ofPlatform().unstarted(() -> store.create("configmaps", object("a", 1))));
            writer.get().start();
            await(delivering);
            Thread ending = Thread.ofPlatform().start(() -> store.endWatches("configmaps"));
            Eventually.eventually("the end waits, or has not waited", PATIENCE,
                    () -> ending.getState() == Thread.State.WAITING || !ending.isAlive());
            goOn.countDown();
            ending.join();
            writer.get().join();
            assertThat(next.isClosed()).isTrue();
            assertThat(next.poll()).isNotNull();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
