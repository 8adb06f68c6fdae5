package dev.wheelhouse.informer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.api.ApiError;

/**
 * Whether a Reflector streams the initial state (KEP-3157) or lists it. A server that refuses, that never ends the initial events,
 * or that breaks off three times in a row is listed from then on. Belongs to one Reflector's loop.
 */
final class InitialStateStreaming {
    private static final Logger log = LoggerFactory.getLogger(InitialStateStreaming.class);
    private static final int TRIES = 3;

    private final String reflector;
    private boolean on;
    private int failures;

    InitialStateStreaming(boolean wanted, String reflector) {
        this.on = wanted;
        this.reflector = reflector;
    }

    boolean isOn() {
        return on;
    }

    void succeeded() {
        failures = 0;
    }

    /** The stream broke off. @return whether it is to be tried again */
    boolean triesAgainAfter(String why) {
        if (++failures < TRIES) {
            return true;
        }
        giveUp(why);
        return false;
    }

    /** The server does not do it. */
    void giveUp(String why) {
        log.info("{}: the initial state is listed instead of streamed: {}", reflector, why);
        on = false;
    }

    /** Whether an answer means that the server does not stream the initial state at all, or not to us. */
    static boolean isRefusedBy(ApiError e) {
        return e.code() == 400 || e.isForbidden() || e.isInvalid();
    }
}
