package dev.wheelhouse.apiserver.store;

import java.time.Duration;

/**
 * How much of the past is kept, per resource, for watches and lists at a version.
 *
 * @param events the most events
 * @param age how long an event is kept; the newest {@code minimum} are kept whatever their age
 */
public record Retention(int events, Duration age, int minimum) {
    /** 20,000 events or five minutes, and always the last 1,000. */
    public static Retention standard() {
        return new Retention(20_000, Duration.ofMinutes(5), 1_000);
    }
}
