package dev.wheelhouse.workqueue;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Clock;

/**
 * The cost of one key from its add to its done, without waiting threads. The informer benchmark measures it with eight
 * threads.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class QueueBenchmark {
    private static final int KEYS = 1000;

    private final RateLimitingQueue<String> queue = new RateLimitingQueue<>("bench", Clock.system(),
            Meters.NONE);
    private final String[] keys = keys();

    private static String[] keys() {
        String[] keys = new String[KEYS];
        for (int i = 0; i < KEYS; i++) {
            keys[i] = "team-" + i % 20 + "/service-" + i;
        }
        return keys;
    }

    /** Adds keys, and takes and finishes them. */
    @Benchmark
    @OperationsPerInvocation(KEYS)
    public void addTakeDone() {
        for (String key : keys) {
            queue.add(key);
        }
        finish();
    }

    /** The same with a key that is forgotten, as a controller does after each success. */
    @Benchmark
    @OperationsPerInvocation(KEYS)
    public void addTakeForgetDone() {
        for (String key : keys) {
            queue.add(key);
        }
        for (String key = queue.poll(); key != null; key = queue.poll()) {
            queue.succeeded(key, Duration.ZERO);
            queue.done(key);
        }
    }

    /** Adds each key twice: the second add finds the first. */
    @Benchmark
    @OperationsPerInvocation(2 * KEYS)
    public void addTwice() {
        for (String key : keys) {
            queue.add(key);
            queue.add(key);
        }
        finish();
    }

    private void finish() {
        for (String key = queue.poll(); key != null; key = queue.poll()) {
            queue.done(key);
        }
    }
}
