package dev.wheelhouse.apiserver.store;

import java.time.Duration;

/**
 * How many past changes the store keeps of each resource, so that watches and lists can start at an older version.
 *
 * @param events the most changes
 * @param age how long a change is kept, but for the newest {@code minimum}
 * @param minimum how many of the newest changes are kept whatever their age
 * @param bytes the most bytes of their objects; this limit comes before all others
 */
public record Retention(int events, Duration age, int minimum, long bytes) {
    /** 20,000 events, five minutes or 128 MiB, and the last 1,000 events whatever their age. */
    public static Retention standard() {
        return new Retention(20_000, Duration.ofMinutes(5), 1_000, 128 * 1024 * 1024);
    }
}
