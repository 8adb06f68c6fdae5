package dev.wheelhouse.facts;

import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads durations as Go's {@code time.ParseDuration} does: {@code 1h30m}, {@code -1.5s}, {@code 0}. */
final class GoDuration {
    private static final Pattern PART = Pattern.compile("([0-9]*)(?:\\.([0-9]*))?([^.0-9]*)");
    private static final Map<String, Long> UNITS = Map.of("ns", 1L, "us", 1_000L, "µs", 1_000L, "μs", 1_000L, "ms",
            1_000_000L, "s", 1_000_000_000L, "m", 60_000_000_000L, "h", 3_600_000_000_000L);
    /** The most digits of a fraction that a long has room for; further digits are ignored. */
    private static final int MOST_DIGITS = 18;

    private GoDuration() {}

    /** @throws IllegalArgumentException if the text is no duration, or one beyond 292 years; the message is Go's */
    static Duration parse(String text) {
        boolean signed = text.startsWith("-") || text.startsWith("+");
        String parts = signed ? text.substring(1) : text;
        if (parts.equals("0")) {
            return Duration.ZERO;
        }
        if (parts.isEmpty()) {
            throw invalid(text);
        }
        long nanos = 0;
        try {
            Matcher m = PART.matcher(parts);
            for (int at = 0; at < parts.length(); at = m.end()) {
                m.region(at, parts.length()).lookingAt();
                nanos = Math.addExact(nanos, part(m, text));
            }
        } catch (ArithmeticException | NumberFormatException tooLarge) {
            throw invalid(text);
        }
        return Duration.ofNanos(text.startsWith("-") ? -nanos : nanos);
    }

    private static long part(Matcher m, String text) {
        String digits = m.group(2) == null ? "" : m.group(2);
        if (m.group(1).isEmpty() && digits.isEmpty()) {
            throw invalid(text);
        }
        long whole = m.group(1).isEmpty() ? 0 : Long.parseLong(m.group(1));
        if (m.group(3).isEmpty()) {
            throw new IllegalArgumentException("time: missing unit in duration " + GoQuote.ascii(text));
        }
        Long unit = UNITS.get(m.group(3));
        if (unit == null) {
            throw new IllegalArgumentException(
                    "time: unknown unit " + GoQuote.ascii(m.group(3)) + " in duration " + GoQuote.ascii(text));
        }
        long nanos = Math.multiplyExact(whole, unit);
        if (digits.isEmpty()) {
            return nanos;
        }
        String read = digits.substring(0, Math.min(digits.length(), MOST_DIGITS));
        return Math.addExact(nanos, (long) (Long.parseLong(read) * (unit / Math.pow(10, read.length()))));
    }

    private static IllegalArgumentException invalid(String text) {
        return new IllegalArgumentException("time: invalid duration " + GoQuote.ascii(text));
    }
}
