package dev.wheelhouse.simulation;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;

/** Switches logging off, because thousands of runs with faults would fill the log. */
public final class Quiet implements BeforeAllCallback, AfterAllCallback {
    /** The number of classes that run now and want no log. */
    private static int running;

    @Override
    public void beforeAll(ExtensionContext context) {
        count(1);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        count(-1);
    }

    private static synchronized void count(int change) {
        running += change;
        ((Logger) LoggerFactory.getLogger("dev.wheelhouse")).setLevel(running > 0 ? Level.OFF : null);
    }
}
