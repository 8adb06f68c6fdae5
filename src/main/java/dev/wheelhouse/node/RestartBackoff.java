package dev.wheelhouse.node;

import java.time.Duration;

import dev.wheelhouse.runtime.Durations;

/**
 * Kubelet's backoff for restarts and image pulls that failed: 10 s, 20 s, 40 s, … up to 5 minutes (upstream:
 * {@code pkg/kubelet/kubelet.go}, {@code MaxContainerBackOff} and {@code containerBackOffPeriod}).
 */
public final class RestartBackoff {
    private static final Duration FIRST = Duration.ofSeconds(10);
    private static final Duration LONGEST = Duration.ofMinutes(5);

    private RestartBackoff() {}

    /** @param failures the number of failures in a row, from 1 */
    public static Duration after(int failures) {
        return Durations.doubled(FIRST, failures - 1, LONGEST);
    }

    /** Go's text form, such as {@code 40s} or {@code 2m40s}. */
    public static String text(Duration duration) {
        long minutes = duration.toMinutes();
        return minutes == 0
                ? duration.toSeconds() + "s"
                : minutes + "m" + duration.minusMinutes(minutes).toSeconds() + "s";
    }
}
