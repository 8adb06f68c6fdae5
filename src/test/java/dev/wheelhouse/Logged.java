package dev.wheelhouse;

import java.util.List;

import org.slf4j.LoggerFactory;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;

/** Collects the log lines of one class. */
public final class Logged implements AutoCloseable {
    private final Logger logger;
    private final Level before;
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

    private Logged(Logger logger) {
        this.logger = logger;
        this.before = logger.getLevel();
        logger.setLevel(Level.INFO);
        appender.start();
        logger.addAppender(appender);
    }

    /** @param type the class, by its name */
    public static Logged by(String type) {
        return new Logged((Logger) LoggerFactory.getLogger(type));
    }

    /** The lines at INFO and above, such as {@code WARN message}. */
    public List<String> lines() {
        return List.copyOf(appender.list).stream().map(e -> e.getLevel() + " " + e.getFormattedMessage()).toList();
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
        logger.setLevel(before);
    }
}
