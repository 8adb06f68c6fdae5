package dev.wheelhouse.api;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The wait that a server asks its client for. A client waits half a minute at most, so that a sick server, or a proxy
 * before it, cannot put the client to sleep for a day, and so that the client recovers within a minute of the server.
 */
public final class RetryAfter {
    public static final Duration LONGEST = Duration.ofSeconds(30);

    /** More digits are more than any wait. */
    private static final int MOST_DIGITS = 9;
    /** Honest servers send one. Each that is no date costs an exception. */
    private static final int MOST_HEADERS = 8;

    private RetryAfter() {}

    /**
     * Reads Retry-After headers (RFC 9110, section 10.2.3).
     *
     * @param headers their values: seconds, or a date; the longest wait counts
     * @param date the answer's Date header, from which a date is counted, as the clocks of server and client may differ
     * @return more than zero, and {@link #LONGEST} at most; null where no header asks for that
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

    /** The same for a Status' {@code details.retryAfterSeconds}. */
    public static @Nullable Duration ofSeconds(long seconds) {
        return seconds <= 0 ? null : Duration.ofSeconds(Math.min(seconds, LONGEST.toSeconds()));
    }

    /** A wait as it is kept; null for one that is none. */
    static @Nullable Duration capped(@Nullable Duration asked) {
        return asked == null || !asked.isPositive() ? null : asked.compareTo(LONGEST) > 0 ? LONGEST : asked;
    }
}
