package dev.wheelhouse.workqueue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Clock;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

@Timeout(900)
class RateLimitingQueueConcurrencyTest {
    private final RateLimitingQueue<Integer> queue = new RateLimitingQueue<>("test", Clock.system(),
            Meters.NONE);

    /**
     * A key's version is raised before each add. The worker that takes the key must see the last version, and be the
     * only one.
     */
    @Test
    void underLoadNoKeyIsLostAndNoneIsWorkedOnByTwoAtOnce() throws Exception {
        int keys = 200;
        int producers = 4;
        int rounds = 20_000;
        AtomicIntegerArray wanted = new AtomicIntegerArray(keys);
        AtomicIntegerArray done = new AtomicIntegerArray(keys);
        AtomicIntegerArray inside = new AtomicIntegerArray(keys);
        AtomicInteger overlaps = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int p = 0; p < producers; p++) {
            int seed = p;
            threads.add(Thread.ofPlatform().start(() -> {
                for (int i = 0; i < rounds; i++) {
                    int key = (i * 31 + seed * 7) % keys;
                    wanted.incrementAndGet(key);
                    if (i % 10 == 0) {
                        queue.addAfter(key, Duration.ofNanos(i));
                    } else {
                        queue.add(key, i % 3 == 0 ? Priority.BACKGROUND : Priority.LIVE);
                    }
                }
            }));
        }
        List<Thread> workers = new ArrayList<>();
        for (int w = 0; w < 4; w++) {
            workers.add(Thread.ofPlatform().start(() -> work(wanted, done, inside, overlaps)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        eventually("every key was worked on after its last change", Duration.ofMinutes(2), () -> {
            for (int key = 0; key < keys; key++) {
                if (done.get(key) != wanted.get(key)) {
                    return false;
                }
            }
            return true;
        });
        queue.shutDown();
        for (Thread worker : workers) {
            assertThat(worker.join(Duration.ofMinutes(2))).isTrue();
        }
        assertThat(overlaps).hasValue(0);
        assertThat(queue.state().depth()).isZero();
    }

    private void work(AtomicIntegerArray wanted, AtomicIntegerArray done, AtomicIntegerArray inside,
            AtomicInteger overlaps) {
        try {
            while (true) {
                Integer key = queue.poll();
                if (key == null) {
                    if (queue.isShutDown()) {
                        return;
                    }
                    queue.awaitReady(Long.MAX_VALUE);
                    continue;
                }
                if (inside.incrementAndGet(key) != 1) {
                    overlaps.incrementAndGet();
                }
                done.set(key, wanted.get(key));
                inside.decrementAndGet(key);
                queue.done(key);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aWaitingWorkerIsWokenByAnAddByAnEarlierDelayAndByShutdown() throws Exception {
        AtomicInteger wakes = new AtomicInteger();
        AtomicBoolean ended = new AtomicBoolean();
        Thread worker = Thread.ofPlatform().start(() -> {
            try {
                while (!queue.isShutDown()) {
                    queue.awaitReady(Long.MAX_VALUE);
                    for (Integer key = queue.poll(); key != null; key = queue.poll()) {
                        wakes.incrementAndGet();
                        queue.done(key);
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            ended.set(true);
        });
        queue.addAfter(1, Duration.ofHours(1));
        queue.add(2);
        eventually("the added key was taken", Duration.ofMinutes(2), () -> wakes.get() == 1);
        queue.addAfter(3, Duration.ofMillis(20));
        eventually("the delayed key was taken", Duration.ofMinutes(2), () -> wakes.get() == 2);
        queue.shutDown();
        assertThat(worker.join(Duration.ofMinutes(2))).isTrue();
        assertThat(ended).isTrue();
    }

    @Test
    void aWaitForAKeyInProcessingEndsAtItsDeadline() throws Exception {
        queue.add(1);
        queue.add(2);
        assertThat(queue.poll()).isEqualTo(1);
        queue.shutDown();
        assertThat(queue.awaitIdle(Duration.ofMillis(20))).isFalse();
        queue.done(1);
        assertThat(queue.awaitIdle(Duration.ZERO)).as("a key that is only queued does not count").isTrue();
    }
}
