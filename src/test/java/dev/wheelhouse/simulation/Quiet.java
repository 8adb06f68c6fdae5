package dev.wheelhouse.simulation;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;

/** Switches logging off, because thousands of runs with faults would fill the log. */
public final class Quiet implements BeforeAllCallback, AfterAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) {
        ((Logger) LoggerFactory.getLogger("dev.wheelhouse")).setLevel(Level.OFF);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        ((Logger) LoggerFactory.getLogger("dev.wheelhouse")).setLevel(null);
    }
}
