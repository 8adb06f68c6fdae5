package dev.wheelhouse.testing;

import org.slf4j.LoggerFactory;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;

/** Switches this project's log off until it is closed, because a simulation causes thousands of failures on purpose. */
final class QuietLogs implements AutoCloseable {
    private static final String NAME = "dev.wheelhouse";

    private final AutoCloseable undo;

    QuietLogs() {
        undo = LoggerFactory.getILoggerFactory().getClass().getName().startsWith("ch.qos.logback.")
                ? Logback.off()
                : () -> {};
    }

    /** Loaded only where Logback is the backend of the log. */
    private static final class Logback {
        static AutoCloseable off() {
            Logger logger = (Logger) LoggerFactory.getLogger(NAME);
            Level before = logger.getLevel();
            logger.setLevel(Level.OFF);
            return () -> logger.setLevel(before);
        }
    }

    @Override
    public void close() {
        try {
            undo.close();
        } catch (Exception e) {
            throw new IllegalStateException("could not switch the log on again", e);
        }
    }
}
