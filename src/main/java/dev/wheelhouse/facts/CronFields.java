package dev.wheelhouse.facts;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.Month;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A schedule of five fields. Each field is a set of bits, one for each value that it contains. The search for the next
 * time takes the steps of upstream's, so that it finds the same time where clocks are moved: hours and minutes are
 * steps of elapsed time, days and months are steps of the calendar.
 */
record CronFields(long minutes, long hours, long days, long months, long weekdays, ZoneId zone)
        implements
            CronSchedule {

    private static final int FIELDS = 5;
    private static final int YEARS = 5;
    /** The bit of a field that contains every value because of a {@code *} or {@code ?}. */
    private static final long STAR = Long.MIN_VALUE;
    private static final Range MINUTES = new Range(0, 59, Map.of());
    private static final Range HOURS = new Range(0, 23, Map.of());
    private static final Range DAYS = new Range(1, 31, Map.of());
    private static final Range MONTHS = new Range(1, 12, names(1, "jan", "feb", "mar", "apr", "may", "jun", "jul",
            "aug", "sep", "oct", "nov", "dec"));
    private static final Range WEEKDAYS = new Range(0, 6, names(0, "sun", "mon", "tue", "wed", "thu", "fri", "sat"));

    private static Map<String, Long> names(long first, String... names) {
        Map<String, Long> values = new HashMap<>();
        for (String name : names) {
            values.put(name, first + values.size());
        }
        return Map.copyOf(values);
    }

    /** @throws IllegalArgumentException if the text is not five valid fields; the message is upstream's */
    static CronFields parse(String text, ZoneId zone) {
        List<String> fields = Spaces.ANY.splitAsStream(text).filter(field -> !field.isEmpty()).toList();
        if (fields.size() != FIELDS) {
            throw new IllegalArgumentException("expected exactly " + FIELDS + " fields, found " + fields.size() + ": ["
                    + String.join(" ", fields) + "]");
        }
        return new CronFields(MINUTES.bits(fields.get(0)), HOURS.bits(fields.get(1)), DAYS.bits(fields.get(2)),
                MONTHS.bits(fields.get(3)), WEEKDAYS.bits(fields.get(4)), zone);
    }

    /** The values of one field, and their names in lower case. */
    private record Range(long min, long max, Map<String, Long> names) {
        long bits(String field) {
            long bits = 0;
            for (String part : field.split(",")) {
                bits |= part.isEmpty() ? 0 : partBits(part);
            }
            return bits;
        }

        /** A value, a range or a star, each with or without a step. */
        private long partBits(String part) {
            String[] steps = part.split("/", -1);
            String[] ends = steps[0].split("-", -1);
            boolean star = ends[0].equals("*") || ends[0].equals("?");
            long first = min;
            long last = max;
            if (!star) {
                first = value(ends[0]);
                if (ends.length > 2) {
                    throw new IllegalArgumentException("too many hyphens: " + part);
                }
                last = ends.length == 2 ? value(ends[1]) : first;
            }
            long step = 1;
            if (steps.length > 2) {
                throw new IllegalArgumentException("too many slashes: " + part);
            }
            if (steps.length == 2) {
                step = number(steps[1]);
                last = ends.length == 1 ? max : last;
            }
            check(first, last, step, part);
            long bits = star && step == 1 ? STAR : 0;
            for (long value = first; value <= last; value += Math.min(step, Long.SIZE)) {
                bits |= 1L << value;
            }
            return bits;
        }

        private void check(long first, long last, long step, String part) {
            if (first < min) {
                throw new IllegalArgumentException(
                        "beginning of range (" + first + ") below minimum (" + min + "): " + part);
            }
            if (last > max) {
                throw new IllegalArgumentException("end of range (" + last + ") above maximum (" + max + "): " + part);
            }
            if (first > last) {
                throw new IllegalArgumentException(
                        "beginning of range (" + first + ") beyond end of range (" + last + "): " + part);
            }
            if (step == 0) {
                throw new IllegalArgumentException("step of range should be a positive number: " + part);
            }
        }

        private long value(String text) {
            StringBuilder lower = new StringBuilder(text.length());
            text.codePoints().map(Character::toLowerCase).forEach(lower::appendCodePoint);
            Long named = names.get(lower.toString());
            return named == null ? number(text) : named;
        }

        private static long number(String text) {
            boolean digits = text.matches("[+-]?[0-9]+");
            try {
                long number = digits ? Long.parseLong(text) : -1;
                if (number >= 0) {
                    return number;
                }
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException(unreadable(text, "value out of range"), e);
            }
            throw new IllegalArgumentException(digits
                    ? "negative number (" + Long.parseLong(text) + ") not allowed: " + text
                    : unreadable(text, "invalid syntax"));
        }

        private static String unreadable(String text, String why) {
            return "failed to parse int from " + text + ": strconv.Atoi: parsing " + GoQuote.of(text) + ": " + why;
        }
    }

    /** The parts of a time, in the order in which the search makes them match. */
    private enum Unit {
        MONTH, DAY, HOUR, MINUTE, SECOND
    }

    private static final List<Unit> UNITS = List.of(Unit.values());

    @Override
    public @Nullable Instant next(Instant after) {
        if (minutes == 0 || hours == 0) {
            return null; // A field of commas alone. Without this line, the search takes millions of steps.
        }
        ZonedDateTime time = at(after.getEpochSecond() + 1);
        int lastYear = time.getYear() + YEARS;
        boolean floored = false;
        search : while (time.getYear() <= lastYear) {
            for (Unit unit : UNITS) {
                while (!matches(unit, time)) {
                    time = step(unit, floored ? time : floor(unit, time));
                    floored = true;
                    if (startsOver(unit, time)) {
                        continue search;
                    }
                }
            }
            return time.toInstant();
        }
        return null;
    }

    private boolean matches(Unit unit, ZonedDateTime time) {
        return switch (unit) {
            case MONTH -> has(months, time.getMonthValue());
            case DAY -> matchesDay(time);
            case HOUR -> has(hours, time.getHour());
            case MINUTE -> has(minutes, time.getMinute());
            case SECOND -> time.getSecond() == 0;
        };
    }

    /** If both kinds of days are restricted, one of them suffices. */
    private boolean matchesDay(ZonedDateTime time) {
        boolean day = has(days, time.getDayOfMonth());
        boolean weekday = has(weekdays, time.getDayOfWeek().getValue() % 7);
        return ((days | weekdays) & STAR) != 0 ? day && weekday : day || weekday;
    }

    private static boolean has(long bits, int value) {
        return (bits >>> value & 1) != 0;
    }

    private ZonedDateTime floor(Unit unit, ZonedDateTime time) {
        LocalDateTime date = time.toLocalDate().atStartOfDay();
        return switch (unit) {
            case MONTH -> at(date.withDayOfMonth(1));
            case DAY -> at(date);
            case HOUR -> at(date.withHour(time.getHour()));
            case MINUTE -> at(time.toEpochSecond() - Math.floorMod(time.toEpochSecond(), 60));
            case SECOND -> time;
        };
    }

    private ZonedDateTime step(Unit unit, ZonedDateTime time) {
        return switch (unit) {
            case MONTH -> at(time.toLocalDateTime().withDayOfMonth(1).plusMonths(1)
                    .plusDays(time.getDayOfMonth() - 1L));
            case DAY -> nextDay(time);
            case HOUR -> at(time.toEpochSecond() + 3600);
            case MINUTE -> at(time.toEpochSecond() + 60);
            case SECOND -> at(time.toEpochSecond() + 60 - time.getSecond());
        };
    }

    /**
     * The next day at midnight, or at the hour nearest to a midnight that the zone leaves out. Upstream's search never
     * ends at a day that a zone left out, as Samoa did; this one goes on after that day.
     */
    private ZonedDateTime nextDay(ZonedDateTime time) {
        ZonedDateTime next = at(time.toLocalDateTime().plusDays(1));
        if (!next.isAfter(time)) {
            return at(time.toEpochSecond() + 24 * 3600);
        }
        int hour = next.getHour();
        return hour == 0 ? next : at(next.toEpochSecond() + 3600L * (hour > 12 ? 24 - hour : -hour));
    }

    /** Whether a step has reached the first value of its unit, so that the larger units may not match any more. */
    private static boolean startsOver(Unit unit, ZonedDateTime time) {
        return switch (unit) {
            case MONTH -> time.getMonth() == Month.JANUARY;
            case DAY -> time.getDayOfMonth() == 1;
            case HOUR -> time.getHour() == 0;
            case MINUTE -> time.getMinute() == 0;
            case SECOND -> true;
        };
    }

    private ZonedDateTime at(long epochSecond) {
        return Instant.ofEpochSecond(epochSecond).atZone(zone);
    }

    /**
     * The time at which clocks show a date and time, by the rule of Go's {@code time.Date} for a time that clocks skip
     * or show twice: the offset that is in force at the time which results from the offset for the same time in UTC.
     */
    private ZonedDateTime at(LocalDateTime local) {
        long utc = local.toEpochSecond(ZoneOffset.UTC);
        return at(utc - offset(utc - offset(utc)));
    }

    private int offset(long epochSecond) {
        return zone.getRules().getOffset(Instant.ofEpochSecond(epochSecond)).getTotalSeconds();
    }
}
