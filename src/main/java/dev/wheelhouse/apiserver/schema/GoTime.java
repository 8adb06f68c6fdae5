package dev.wheelhouse.apiserver.schema;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.YearMonth;
import java.time.format.DateTimeFormatter;

import dev.wheelhouse.apiserver.schema.FieldValidation.WrongTypeException;
import dev.wheelhouse.facts.GoQuote;

/**
 * Parses and prints times like {@code metav1.Time}, which drops fractions, and {@code metav1.MicroTime}, which requires
 * six digits of a fraction. One pass over the text. Errors have the words of Go's {@code time.Parse}.
 */
final class GoTime {
    private static final String SECONDS = "2006-01-02T15:04:05Z07:00";
    private static final String MICROS = "2006-01-02T15:04:05.000000Z07:00";
    private static final DateTimeFormatter PRINTED = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss'Z'");
    private static final DateTimeFormatter PRINTED_MICROS = DateTimeFormatter
            .ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'");

    private final String layout;
    private final String text;
    private int at;

    private GoTime(String layout, String text) {
        this.layout = layout;
        this.text = text;
    }

    /**
     * Returns the time as upstream prints it, in UTC.
     *
     * @throws WrongTypeException if the text is not a time
     */
    static String canonical(String text, boolean micros) {
        GoTime time = new GoTime(micros ? MICROS : SECONDS, text);
        return (micros ? PRINTED_MICROS : PRINTED).format(time.parse(micros));
    }

    private LocalDateTime parse(boolean micros) {
        int year = digits(4, 4, "2006");
        literal("-");
        int month = digits(2, 2, "01");
        range(month >= 1 && month <= 12, "month");
        literal("-");
        int day = digits(2, 2, "02");
        literal("T");
        int hour = digits(1, 2, "15");
        range(hour < 24, "hour");
        literal(":");
        int minute = digits(2, 2, "04");
        range(minute < 60, "minute");
        literal(":");
        int second = digits(2, 2, "05");
        range(second < 60, "second");
        int micro = micros ? micros() : fraction();
        int offset = offset();
        if (at < text.length()) {
            throw refused(": extra text: " + GoQuote.ascii(text.substring(at)));
        }
        range(day >= 1 && day <= YearMonth.of(year, month).lengthOfMonth(), "day");
        return LocalDateTime.of(LocalDate.of(year, month, day), LocalTime.of(hour, minute, second, micro * 1000))
                .minusSeconds(offset);
    }

    private int digits(int least, int most, String element) {
        int from = at;
        int value = 0;
        while (at < text.length() && at - from < most && isDigit(at)) {
            value = value * 10 + text.charAt(at++) - '0';
        }
        if (at - from < least) {
            throw cannot(from, element);
        }
        return value;
    }

    private boolean isDigit(int index) {
        return index < text.length() && text.charAt(index) >= '0' && text.charAt(index) <= '9';
    }

    private void literal(String wanted) {
        if (!text.startsWith(wanted, at)) {
            throw cannot(at, wanted);
        }
        at++;
    }

    /** Reads a fraction of six digits, in microseconds. */
    private int micros() {
        int from = at;
        if (at >= text.length() || text.charAt(at) != '.' && text.charAt(at) != ',') {
            throw cannot(from, ".000000");
        }
        at++;
        for (int i = 0; i < 6; i++) {
            if (!isDigit(at + i)) {
                throw cannot(from, ".000000");
            }
        }
        int value = Integer.parseInt(text.substring(at, at + 6));
        at += 6;
        return value;
    }

    /** Skips a fraction, which Go accepts after the seconds of any layout. */
    private int fraction() {
        if (at < text.length() && (text.charAt(at) == '.' || text.charAt(at) == ',') && isDigit(at + 1)) {
            at++;
            while (isDigit(at)) {
                at++;
            }
        }
        return 0;
    }

    /** Reads the offset from UTC, in seconds. */
    private int offset() {
        int from = at;
        if (text.startsWith("Z", at)) {
            at++;
            return 0;
        }
        if (text.length() - at < 6 || text.charAt(at + 3) != ':' || "+-".indexOf(text.charAt(at)) < 0
                || !isDigit(at + 1) || !isDigit(at + 2) || !isDigit(at + 4) || !isDigit(at + 5)) {
            throw cannot(from, "Z07:00");
        }
        int hours = Integer.parseInt(text.substring(at + 1, at + 3));
        int minutes = Integer.parseInt(text.substring(at + 4, at + 6));
        range(hours <= 24, "time zone offset hour");
        range(minutes <= 60, "time zone offset minute");
        at += 6;
        return (text.charAt(from) == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
    }

    private void range(boolean within, String what) {
        if (!within) {
            throw refused(": " + what + " out of range");
        }
    }

    private WrongTypeException cannot(int from, String element) {
        return refused(" as " + GoQuote.ascii(layout) + ": cannot parse " + GoQuote.ascii(text.substring(from))
                + " as " + GoQuote.ascii(element));
    }

    private WrongTypeException refused(String why) {
        return new WrongTypeException("parsing time " + GoQuote.ascii(text) + why);
    }
}
