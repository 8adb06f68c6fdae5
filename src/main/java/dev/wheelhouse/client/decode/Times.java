package dev.wheelhouse.client.decode;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;

import org.jspecify.annotations.Nullable;

/**
 * Reads points in time, and keeps the days and times that were read lately, as many objects have the same ones. Belongs
 * to a {@link DecoderMemory}. Thread safe: a race loses an entry, and a wrong entry is never returned.
 */
final class Times {
    /** The length of {@code "2026-11-21T08:00:00Z"} with its quotes. */
    static final int LENGTH = 22;

    private static final int SECONDS_OF_A_DAY = 24 * 60 * 60;
    private static final byte[] FORM = "\"dddd-dd-ddTdd:dd:ddZ\"".getBytes(StandardCharsets.US_ASCII);

    private final @Nullable LocalDate[] days = new LocalDate[512];
    private final @Nullable OffsetDateTime[] times = new OffsetDateTime[2048];
    /** Hashes of the times. A time with another hash is not compared. */
    private final int[] hashes = new int[times.length];

    /** Reads a JSON string that is a time in whole seconds, as {@code metav1.Time} is written; null for others. */
    @Nullable
    OffsetDateTime seconds(byte[] json, int from, int end) {
        if (end - from < LENGTH) {
            return null;
        }
        for (int i = 0; i < LENGTH; i++) {
            byte c = json[from + i];
            if (FORM[i] == 'd' ? c < '0' || c > '9' : c != FORM[i]) {
                return null;
            }
        }
        int year = two(json, from + 1) * 100 + two(json, from + 3);
        try {
            LocalDate day = day(year, two(json, from + 6), two(json, from + 9));
            return time(day, two(json, from + 12), two(json, from + 15), two(json, from + 18));
        } catch (DateTimeException e) {
            return null;
        }
    }

    /**
     * The time of a number of seconds since 1970.
     *
     * @throws DateTimeException if no date is so far away
     */
    OffsetDateTime atSecond(long epochSecond) {
        LocalDate date = LocalDate.ofEpochDay(Math.floorDiv(epochSecond, SECONDS_OF_A_DAY));
        int second = Math.floorMod(epochSecond, SECONDS_OF_A_DAY);
        return time(day(date.getYear(), date.getMonthValue(), date.getDayOfMonth()), second / 3600, second / 60 % 60,
                second % 60);
    }

    private static int two(byte[] json, int at) {
        return (json[at] - '0') * 10 + json[at + 1] - '0';
    }

    private LocalDate day(int year, int month, int day) {
        int place = (year * 12 + month) * 31 + day & days.length - 1;
        LocalDate known = days[place];
        if (known == null || known.getYear() != year || known.getMonthValue() != month
                || known.getDayOfMonth() != day) {
            known = LocalDate.of(year, month, day);
            days[place] = known;
        }
        return known;
    }

    private OffsetDateTime time(LocalDate day, int hour, int minute, int second) {
        int hash = (day.hashCode() * 24 + hour) * 3600 + minute * 60 + second;
        int place = (hash * 0x9E3779B9 >>> 16) & (times.length - 1);
        OffsetDateTime known = hashes[place] == hash ? times[place] : null;
        if (known == null || known.getSecond() != second || known.getMinute() != minute || known.getHour() != hour
                || !known.toLocalDate().equals(day)) {
            known = OffsetDateTime.of(LocalDateTime.of(day, LocalTime.of(hour, minute, second)), ZoneOffset.UTC);
            times[place] = known;
            hashes[place] = hash;
        }
        return known;
    }

    /** Reads a time of any form. */
    static OffsetDateTime any(String text) {
        try {
            return OffsetDateTime.parse(text);
        } catch (DateTimeParseException e) {
            // The full parser reports the reason.
            throw JsonCursor.Irregular.INSTANCE;
        }
    }
}
