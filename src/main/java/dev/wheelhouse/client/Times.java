package dev.wheelhouse.client;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;

import org.jspecify.annotations.Nullable;

/** Reads points in time. Days and times that were read lately are kept: many objects are of the same ones. */
final class Times {
    /** The length of {@code "2026-11-21T08:00:00Z"} with its quotes. */
    static final int LENGTH = 22;

    private static final byte[] FORM = "\"dddd-dd-ddTdd:dd:ddZ\"".getBytes(StandardCharsets.US_ASCII);
    private static final @Nullable LocalDate[] DAYS = new LocalDate[512];
    private static final @Nullable OffsetDateTime[] TIMES = new OffsetDateTime[2048];
    /** What they were found by: that of most is another one, which shows without a look at them. */
    private static final int[] KEYS = new int[TIMES.length];

    private Times() {}

    /** Reads a time in whole seconds as {@code metav1.Time} is written; null if there is anything else. */
    static @Nullable OffsetDateTime seconds(byte[] json, int from, int end) {
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

    private static int two(byte[] json, int at) {
        return (json[at] - '0') * 10 + json[at + 1] - '0';
    }

    private static LocalDate day(int year, int month, int day) {
        int place = (year * 12 + month) * 31 + day & DAYS.length - 1;
        LocalDate known = DAYS[place];
        if (known == null || known.getYear() != year || known.getMonthValue() != month
                || known.getDayOfMonth() != day) {
            known = LocalDate.of(year, month, day);
            DAYS[place] = known;
        }
        return known;
    }

    private static OffsetDateTime time(LocalDate day, int hour, int minute, int second) {
        int key = (day.hashCode() * 24 + hour) * 3600 + minute * 60 + second;
        int place = key * 0x9E3779B9 >>> 16 & TIMES.length - 1;
        OffsetDateTime known = KEYS[place] == key ? TIMES[place] : null;
        if (known == null || known.getSecond() != second || known.getMinute() != minute || known.getHour() != hour
                || !known.toLocalDate().equals(day)) {
            known = OffsetDateTime.of(LocalDateTime.of(day, LocalTime.of(hour, minute, second)), ZoneOffset.UTC);
            TIMES[place] = known;
            KEYS[place] = key;
        }
        return known;
    }

    /** Reads any other. */
    static OffsetDateTime any(String text) {
        try {
            return OffsetDateTime.parse(text);
        } catch (DateTimeParseException e) {
            // The full parser will say why.
            throw JsonBytes.Irregular.INSTANCE;
        }
    }
}
