package dev.wheelhouse.apiserver.table;

import java.time.Duration;

/**
 * Durations as kubectl prints them: at most two units, fewer for long ones (upstream:
 * {@code apimachinery/pkg/util/duration}).
 */
public final class HumanDuration {
    private static final long MINUTE = 60;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;
    private static final long YEAR = 365 * DAY;

    private HumanDuration() {}

    /**
     * A text such as {@code 5s}, {@code 3m20s} or {@code 2d4h}. A negative duration above -2 s counts as 0, because
     * clocks may disagree by so much; any other negative duration gives {@code <invalid>}.
     */
    public static String of(Duration duration) {
        long millis = duration.toMillis();
        if (millis <= -2000) {
            return "<invalid>";
        }
        long seconds = Math.max(0, millis / 1000);
        if (seconds < 2 * MINUTE) {
            return seconds + "s";
        }
        if (seconds < 10 * MINUTE) {
            return pair(seconds, MINUTE, "m", 1, "s");
        }
        if (seconds < 3 * HOUR) {
            return seconds / MINUTE + "m";
        }
        if (seconds < 8 * HOUR) {
            return pair(seconds, HOUR, "h", MINUTE, "m");
        }
        if (seconds < 2 * DAY) {
            return seconds / HOUR + "h";
        }
        if (seconds < 8 * DAY) {
            return pair(seconds, DAY, "d", HOUR, "h");
        }
        if (seconds < 2 * YEAR) {
            return seconds / DAY + "d";
        }
        if (seconds < 8 * YEAR) {
            return pair(seconds, YEAR, "y", DAY, "d");
        }
        return seconds / YEAR + "y";
    }

    private static String pair(long seconds, long unit, String unitName, long part, String partName) {
        long rest = seconds % unit / part;
        return seconds / unit + unitName + (rest == 0 ? "" : rest + partName);
    }
}
