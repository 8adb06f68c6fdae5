package dev.wheelhouse.api;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The wait that a server asks its client for. It is capped at half a minute, so that a sick server, or a proxy before
 * it, cannot stop the client for hours, and the client recovers within a minute after the server.
 */
public final class RetryAfter {
    public static final Duration LONGEST = Duration.ofSeconds(30);

    /** A number of seconds with more digits is not parsed: it exceeds {@link #LONGEST}. */
    private static final int MOST_DIGITS = 9;
    /** The headers that are read. One is normal; a header that is neither a number nor a date costs an exception. */
    private static final int MOST_HEADERS = 8;

    private RetryAfter() {}

    /**
     * Reads Retry-After headers (RFC 9110, section 10.2.3).
     *
     * @param headers the values: seconds, or a date; the longest wait counts
     * @param date the answer's Date header, or null. The wait until a date counts from this header, because the clocks
     *     of server and client may differ.
     * @return more than zero, and {@link #LONGEST} at most; null if no header asks for a wait
     */
    public static @Nullable Duration of(List<String> headers, @Nullable String date) {
        Duration longest = null;
        for (String header : headers.subList(0, Math.min(MOST_HEADERS, headers.size()))) {
            Duration asked = parse(header.strip(), date);
            if (asked != null && (longest == null || asked.compareTo(longest) > 0)) {
                longest = asked;
            }
        }
        return longest;
    }

    private static @Nullable Duration parse(String header, @Nullable String date) {
        if (!header.isEmpty() && header.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return header.length() > MOST_DIGITS ? LONGEST : ofSeconds(Long.parseLong(header));
        }
        Instant until = instant(header);
        Instant now = date == null ? null : instant(date.strip());
        return until == null || now == null ? null : capped(Duration.between(now, until));
    }

    private static @Nullable Instant instant(String date) {
        try {
            return Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(date));
        } catch (DateTimeException e) {
            return null;
        }
    }

    /** The wait that a Status' {@code details.retryAfterSeconds} asks for; null if that is not positive. */
    public static @Nullable Duration ofSeconds(long seconds) {
        return seconds <= 0 ? null : Duration.ofSeconds(Math.min(seconds, LONGEST.toSeconds()));
    }

    /** The given wait, but at most {@link #LONGEST}; null if it is null or not positive. */
    static @Nullable Duration capped(@Nullable Duration asked) {
        return asked == null || !asked.isPositive() ? null : asked.compareTo(LONGEST) > 0 ? LONGEST : asked;
    }
}
