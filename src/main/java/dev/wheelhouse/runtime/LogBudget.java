package dev.wheelhouse.runtime;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Bounds what one loop says of something that keeps failing: the same text once in five minutes, and at most six lines
 * a minute. The next line says how many were left out. Not thread safe.
 */
public final class LogBudget {
    private static final long SAME = Duration.ofMinutes(5).toNanos();
    private static final long WINDOW = Duration.ofMinutes(1).toNanos();
    private static final int LINES = 6;

    private final Clock clock;
    private String last = "";
    private long lastAt;
    private long windowBegan;
    private int lines;
    private int leftOut;

    public LogBudget(Clock clock) {
        this.clock = clock;
        this.windowBegan = clock.nanoTime();
        this.lastAt = windowBegan;
    }

    /** The line to log; null for none. */
    public @Nullable String line(String text) {
        long now = clock.nanoTime();
        if (now - windowBegan >= WINDOW) {
            windowBegan = now;
            lines = 0;
        }
        if (lines >= LINES || text.equals(last) && now - lastAt < SAME) {
            leftOut++;
            return null;
        }
        lines++;
        last = text;
        lastAt = now;
        String line = leftOut == 0 ? text : text + " (" + leftOut + " lines before were left out)";
        leftOut = 0;
        return line;
    }
}
