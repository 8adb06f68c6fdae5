package dev.wheelhouse.facts;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Runs at equal intervals after the last run.
 *
 * @param interval whole seconds, at least one
 */
record CronInterval(Duration interval) implements CronSchedule {
    static final String PREFIX = "@every ";

    /** @throws IllegalArgumentException if no duration follows the prefix; the message is upstream's */
    static CronInterval parse(String text) {
        try {
            Duration interval = GoDuration.parse(text.substring(PREFIX.length()));
            return new CronInterval(interval.getSeconds() < 1
                    ? Duration.ofSeconds(1)
                    : interval.truncatedTo(
                            ChronoUnit.SECONDS));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("failed to parse duration " + text + ": " + e.getMessage(), e);
        }
    }

    @Override
    public Instant next(Instant after) {
        return after.truncatedTo(ChronoUnit.SECONDS).plus(interval);
    }
}
