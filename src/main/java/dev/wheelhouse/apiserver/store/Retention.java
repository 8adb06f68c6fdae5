package dev.wheelhouse.apiserver.store;

import java.time.Duration;

/**
 * How much of the past is kept, per resource, for watches and lists at a version.
 *
 * @param events the most events
 * @param age how long an event is kept; the newest {@code minimum} are kept whatever their age
 * @param bytes the most bytes of objects; it goes before all else
 */
public record Retention(int events, Duration age, int minimum, long bytes) {
    /** 20,000 events, five minutes or 128 MiB, and the last 1,000 events whatever their age. */
    public static Retention standard() {
        return new Retention(20_000, Duration.ofMinutes(5), 1_000, 128 * 1024 * 1024);
    }
}
