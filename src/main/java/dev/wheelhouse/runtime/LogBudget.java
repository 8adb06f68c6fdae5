package dev.wheelhouse.runtime;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Limits the log lines of one part while something keeps failing. A text that repeats the last line is logged once in
 * five minutes, and at most six lines are logged in a minute. The next line that is logged says how many were left out.
 * Thread safe.
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

    /** Logs a text as a warning, unless it is to be left out. */
    public void warn(Logger log, String text) {
        String line = line(text);
        if (line != null) {
            log.warn(line);
        }
    }

    /** Logs a text as information, unless it is to be left out. */
    public void info(Logger log, String text) {
        String line = line(text);
        if (line != null) {
            log.info(line);
        }
    }

    /** Logs a text as an error with its cause, unless it is to be left out. */
    public void error(Logger log, String text, Throwable cause) {
        String line = line(text);
        if (line != null) {
            log.error(line, cause);
        }
    }

    /** The line to log for a text; null if the text is to be left out. */
    public synchronized @Nullable String line(String text) {
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
