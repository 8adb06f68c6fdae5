package dev.wheelhouse.facts;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.wheelhouse.runtime.Durations;

/** Reads durations as Go's {@code time.ParseDuration} does, with its messages: {@code 1h30m}, {@code -1.5s}. */
public final class GoDuration {
    private static final Pattern PART = Pattern.compile("([0-9]*\\.?[0-9]*)([^.0-9]*)");
    private static final Set<String> UNITS = Set.of("ns", "us", "µs", "μs", "ms", "s", "m", "h");
    private static final BigDecimal MOST = BigDecimal.valueOf(Long.MAX_VALUE);
    private static final int MOST_DIGITS = 256;

    private GoDuration() {}

    /** @throws IllegalArgumentException if the text is no duration, or one beyond 292 years; the message is Go's */
    public static Duration parse(String text) {
        Duration duration = Durations.parseSigned(text);
        if (duration == null) {
            throw new IllegalArgumentException("time: " + problem(text) + " duration " + GoQuote.ascii(text));
        }
        return duration;
    }

    private static String problem(String text) {
        Matcher part = PART.matcher(text);
        for (int at = text.startsWith("-") || text.startsWith("+") ? 1 : 0; at < text.length(); at = part.end()) {
            part.region(at, text.length()).lookingAt();
            String number = part.group(1);
            if (number.chars().noneMatch(Character::isDigit) || number.length() > MOST_DIGITS
                    || new BigDecimal(number).compareTo(MOST) > 0) {
                return "invalid";
            }
            if (!UNITS.contains(part.group(2))) {
                return part.group(2).isEmpty()
                        ? "missing unit in"
                        : "unknown unit " + GoQuote.ascii(part.group(2)) + " in";
            }
        }
        return "invalid";
    }
}
