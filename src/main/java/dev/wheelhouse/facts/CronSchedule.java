package dev.wheelhouse.facts;

import java.time.Instant;
import java.time.ZoneId;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The times at which a CronJob runs: five fields, a name such as {@code @hourly}, or {@code @every} with a duration. A
 * prefix {@code TZ=} or {@code CRON_TZ=} names the time zone. Equal to {@code ParseStandard} of
 * {@code github.com/robfig/cron/v3}, with the panics that upstream's {@code pkg/util/parsers} turns into errors.
 * Immutable.
 */
public sealed interface CronSchedule permits CronFields, CronInterval {
    /**
     * Reads a schedule.
     *
     * @param local the time zone of a schedule that names none
     * @throws IllegalArgumentException if the text is no schedule; the message is upstream's
     */
    static CronSchedule parse(String text, ZoneId local) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("empty spec string");
        }
        if (!text.startsWith("TZ=") && !text.startsWith("CRON_TZ=")) {
            return parseIn(local, text);
        }
        int space = text.indexOf(' ');
        if (space < 0) {
            throw new IllegalArgumentException(
                    "invalid schedule format: runtime error: slice bounds out of range [:-1]");
        }
        String name = text.substring(text.indexOf('=') + 1, space);
        ZoneId zone;
        try {
            zone = TimeZones.load(name);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("provided bad location " + name + ": " + e.getMessage(), e);
        }
        return parseIn(zone, Spaces.EDGES.matcher(text.substring(space)).replaceAll(""));
    }

    private static CronSchedule parseIn(ZoneId zone, String text) {
        if (!text.startsWith("@")) {
            return CronFields.parse(text, zone);
        }
        if (text.startsWith(CronInterval.PREFIX)) {
            return CronInterval.parse(text);
        }
        return CronFields.parse(switch (text) {
            case "@yearly", "@annually" -> "0 0 1 1 *";
            case "@monthly" -> "0 0 1 * *";
            case "@weekly" -> "0 0 * * 0";
            case "@daily", "@midnight" -> "0 0 * * *";
            case "@hourly" -> "0 * * * *";
            default -> throw new IllegalArgumentException("unrecognized descriptor: " + text);
        }, zone);
    }

    /** The first time after {@code after}, a whole second; null if the next five years have none. */
    @Nullable
    Instant next(Instant after);
}

/** White space as Go defines it. */
final class Spaces {
    static final Pattern ANY = Pattern.compile("\\s+", Pattern.UNICODE_CHARACTER_CLASS);
    /** The look-behind lets only the first space of a run begin a match, so that the time is linear in the length. */
    static final Pattern EDGES = Pattern.compile("^\\s+|(?<!\\s)\\s++\\z", Pattern.UNICODE_CHARACTER_CLASS);

    private Spaces() {}
}
