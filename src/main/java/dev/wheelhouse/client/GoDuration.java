package dev.wheelhouse.client;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations as users of Kubernetes write them: {@code 1h30m}, {@code 500ms}, {@code 30s} or {@code 0}, as Go reads
 * them, and {@code PT1H30M} of ISO 8601, which Java writes.
 */
final class GoDuration {
    /** The texts that can be read, if their numbers are not too large, as a regular expression of RE2. */
    static final String PATTERN = "^[-+]?(0|([0-9]+(\\.[0-9]*)?(ns|us|µs|ms|s|m|h))+|[Pp]([-+]?[0-9]+[Dd])?"
            + "([Tt]([-+]?[0-9]+[Hh])?([-+]?[0-9]+[Mm])?([-+]?[0-9]+(\\.[0-9]{0,9})?[Ss])?)?)$";

    private static final Pattern PART = Pattern.compile("([0-9]{1,18}(?:\\.[0-9]{0,18})?)(ns|us|µs|ms|s|m|h)");
    private static final Map<String, Long> NANOS = Map.of("ns", 1L, "us", 1_000L, "µs", 1_000L, "ms", 1_000_000L, "s",
            1_000_000_000L, "m", 60_000_000_000L, "h", 3_600_000_000_000L);

    private GoDuration() {}

    /**
     * @throws java.time.DateTimeException if the text is no duration
     * @throws ArithmeticException if it is too long
     */
    static Duration parse(String text) {
        boolean negative = text.startsWith("-");
        String parts = negative || text.startsWith("+") ? text.substring(1) : text;
        if (parts.equals("0")) {
            return Duration.ZERO;
        }
        BigDecimal nanos = BigDecimal.ZERO;
        Matcher part = PART.matcher(parts);
        int end = 0;
        while (part.lookingAt()) {
            long unit = NANOS.getOrDefault(part.group(2), 0L);
            nanos = nanos.add(new BigDecimal(part.group(1)).multiply(BigDecimal.valueOf(unit)));
            end = part.end();
            part.region(end, parts.length());
        }
        if (parts.isEmpty() || end < parts.length()) {
            return Duration.parse(text);
        }
        BigDecimal[] seconds = nanos.divideAndRemainder(BigDecimal.valueOf(1_000_000_000));
        Duration read = Duration.ofSeconds(seconds[0].longValueExact(), seconds[1].longValue());
        return negative ? read.negated() : read;
    }
}
