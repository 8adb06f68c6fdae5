package dev.wheelhouse.workqueue;

import java.time.Duration;
import java.util.function.Consumer;

/** For how long the keys of a queue have been worked on, at one time. */
final class WorkAges implements Consumer<Entry<?>> {
    private final long now;
    private long sum;
    private long longest;

    /** @param now nanoseconds of the queue's clock */
    WorkAges(long now) {
        this.now = now;
    }

    @Override
    public void accept(Entry<?> entry) {
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
