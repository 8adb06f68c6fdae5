package dev.wheelhouse.node.cri;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.runtime.Durations;

/**
 * The wanted part of a log, as in kubectl's {@code logs}.
 *
 * @param follow whether the text goes on while the container runs
 * @param previous whether the log of the last run but one is wanted
 * @param timestamps whether each line begins with its time
 * @param since the time of the first line; null for any
 * @param tailLines the number of lines at the end; negative for all
 * @param limitBytes the length of the text; negative for any
 */
record LogQuery(boolean follow, boolean previous, boolean timestamps, @Nullable Instant since, long tailLines,
        long limitBytes) {

    /** @throws IllegalArgumentException if a parameter is malformed */
    static LogQuery of(Exchange exchange, Instant now) {
        long seconds = number(exchange, "sinceSeconds", 1);
        String time = exchange.parameter("sinceTime");
        try {
            return new LogQuery(exchange.flag("follow"), exchange.flag("previous"), exchange.flag("timestamps"),
                    seconds > 0
                            ? Durations.before(now, Duration.ofSeconds(seconds))
                            : time.isEmpty() ? null : OffsetDateTime.parse(time).toInstant(),
                    number(exchange, "tailLines", 0), number(exchange, "limitBytes", 1));
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException("sinceTime is \"" + time + "\": write 2006-01-02T15:04:05Z", e);
        }
    }

    /** @return -1 if it is not given */
    private static long number(Exchange exchange, String name, long least) {
        String text = exchange.parameter(name);
        if (text.isEmpty()) {
            return -1;
        }
        if (!text.matches("\\d{1,18}") || Long.parseLong(text) < least) {
            throw new IllegalArgumentException(name + " is \"" + text + "\": write a number from " + least + " on");
        }
        return Long.parseLong(text);
    }
}
