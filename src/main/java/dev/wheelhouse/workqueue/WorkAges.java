package dev.wheelhouse.workqueue;

import java.time.Duration;
import java.util.function.Consumer;

/** The ages of the keys in processing at one moment: their sum and the longest. */
final class WorkAges implements Consumer<KeyState<?>> {
    private final long now;
    private long sum;
    private long longest;

    /** @param now nanoseconds of the queue's clock */
    WorkAges(long now) {
        this.now = now;
    }

    @Override
    public void accept(KeyState<?> entry) {
        if (entry.processing) {
            long age = Math.max(0, now - entry.startedAt);
            sum += age;
            longest = Math.max(longest, age);
        }
    }

    Duration sum() {
        return Duration.ofNanos(sum);
    }

    Duration longest() {
        return Duration.ofNanos(longest);
    }
}
