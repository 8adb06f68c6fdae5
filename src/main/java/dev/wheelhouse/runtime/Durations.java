package dev.wheelhouse.runtime;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/** Go's text form of durations, and a conversion to nanoseconds that never overflows. */
public final class Durations {
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);
    private static final int MOST_CHARACTERS = 256;
    private static final Pattern PART = Pattern.compile("(\\d{1,9}(?:\\.\\d{0,9})?|\\.\\d{1,9})(ns|us|µs|ms|s|m|h)");

    private Durations() {}

    /** The nanoseconds of a duration; {@code Long.MAX_VALUE} if it is longer than 292 years. */
    public static long saturatedNanos(Duration duration) {
        return duration.compareTo(LONGEST) >= 0 ? Long.MAX_VALUE : duration.toNanos();
    }

    /**
     * Parses Go's text form of a duration, such as {@code 1m30s}, {@code 500ms} or {@code 1.5h}.
     * @return null if the text is not a duration, is negative, is longer than 292 years, or has more than 256 characters
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

    private static long nanos(String unit) {
        return switch (unit) {
            case "ns" -> 1L;
            case "us", "µs" -> 1_000L;
            case "ms" -> 1_000_000L;
            case "s" -> 1_000_000_000L;
            case "m" -> 60_000_000_000L;
            default -> 3_600_000_000_000L;
        };
    }
}
