package dev.wheelhouse.runtime;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Go's text form of durations, and arithmetic that never overflows: the seconds of a spec may be any {@code long}, and
 * a time of a status any year. A sum outside the range of a type becomes the type's last or first value, which means
 * "never" (upstream's sums wrap around).
 */
public final class Durations {
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);
    private static final Duration FARTHEST_BACK = Duration.ofNanos(Long.MIN_VALUE);
    private static final int MOST_CHARACTERS = 256;
    private static final Pattern PART = Pattern
            .compile("(\\d+(?:\\.\\d*)?|\\.\\d+)(ns|us|µs|μs|ms|s|m|h)");

    private Durations() {}

    /** The nanoseconds of a duration; the nearest {@code long} if it is longer than 292 years. */
    public static long saturatedNanos(Duration duration) {
        return duration.compareTo(LONGEST) >= 0
                ? Long.MAX_VALUE
                : duration.compareTo(FARTHEST_BACK) <= 0 ? Long.MIN_VALUE : duration.toNanos();
    }

    /** The time that is a number of seconds after another; the nearest {@code Instant} if there is no such time. */
    public static Instant after(Instant time, long seconds) {
        return after(time, Duration.ofSeconds(seconds));
    }

    /** The time after another by a duration; the nearest {@code Instant} if there is no such time. */
    public static Instant after(Instant time, Duration duration) {
        return duration.compareTo(Duration.between(time, Instant.MAX)) >= 0
                ? Instant.MAX
                : duration.compareTo(Duration.between(time, Instant.MIN)) <= 0 ? Instant.MIN : time.plus(duration);
    }

    /** The time before another by a duration; the nearest {@code Instant} if there is no such time. */
    public static Instant before(Instant time, Duration duration) {
        return duration.compareTo(Duration.between(Instant.MIN, time)) >= 0
                ? Instant.MIN
                : duration.compareTo(Duration.between(Instant.MAX, time)) <= 0 ? Instant.MAX : time.minus(duration);
    }

    /** The first delay, doubled some times, but at most the longest one. */
    public static Duration doubled(Duration first, int times, Duration longest) {
        Duration doubled = first.multipliedBy(1L << Math.clamp(times, 0, 30));
        return doubled.compareTo(longest) < 0 ? doubled : longest;
    }

    /** A time as the API has it, in whole seconds. */
    public static OffsetDateTime wholeSeconds(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).atOffset(ZoneOffset.UTC);
    }

    /**
     * Parses Go's text form of a duration, such as {@code 1m30s}, {@code 500ms} or {@code 1.5h}.
     * @return null if the text is not a duration, is negative, is longer than 292 years, or has more than 256
     *     characters
     */
    public static @Nullable Duration parse(String text) {
        if (text.length() > MOST_CHARACTERS) {
            return null;
        }
        if (text.equals("0")) {
            return Duration.ZERO;
        }
        Matcher matcher = PART.matcher(text);
        BigDecimal nanos = BigDecimal.ZERO;
        int at = 0;
        while (at < text.length() && matcher.region(at, text.length()).lookingAt()) {
            nanos = nanos
                    .add(new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(nanos(matcher.group(2)))));
            at = matcher.end();
        }
        boolean good = at == text.length() && at > 0 && nanos.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) <= 0;
        return good ? Duration.ofNanos(nanos.setScale(0, RoundingMode.DOWN).longValue()) : null;
    }

    /** As {@link #parse}, of a text that may begin with a sign. */
    public static @Nullable Duration parseSigned(String text) {
        boolean negative = text.startsWith("-");
        Duration duration = parse(negative || text.startsWith("+") ? text.substring(1) : text);
        return duration == null || !negative ? duration : duration.negated();
    }

    private static long nanos(String unit) {
        return switch (unit) {
            case "ns" -> 1L;
            case "us", "µs", "μs" -> 1_000L;
            case "ms" -> 1_000_000L;
            case "s" -> 1_000_000_000L;
            case "m" -> 60_000_000_000L;
            default -> 3_600_000_000_000L;
        };
    }
}
