package dev.wheelhouse.informer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.api.KubeApiException;

/**
 * Decides whether a Reflector streams the initial state (KEP-3157) or lists it. It lists from then on after the server
 * refused the stream, after the initial events did not end in time, or after three failures in a row. After any other
 * error except 429 it lists once and then streams again, as upstream does: kube-apiserver fails in this way if its etcd
 * cannot report its progress. Not thread safe: it belongs to one Reflector's loop.
 */
final class InitialStateStreaming {
    private static final Logger log = LoggerFactory.getLogger(InitialStateStreaming.class);
    private static final int TRIES = 3;

    /** The reaction to a failed stream. */
    enum Next {
        /** Stream again, after a pause. */
        STREAM,
        /** List at once. */
        LIST
    }

    private final String reflector;
    private boolean on;
    private boolean listsThisTime;
    private int failures;

    InitialStateStreaming(boolean wanted, String reflector) {
        this.on = wanted;
        this.reflector = reflector;
    }

    boolean isOn() {
        return on && !listsThisTime;
    }

    /** Records that a stream delivered the whole initial state. */
    void succeeded() {
        failures = 0;
    }

    /**
     * Records that a list delivered the initial state. The next initial state is streamed again, unless streaming was
     * given up.
     */
    void listed() {
        listsThisTime = false;
    }

    /** Records that the stream could not be opened, or broke. */
    Next failed(KubeApiException e, String why) {
        if (e.code() == 400 || e.isForbidden() || e.isInvalid()) {
            giveUp(why);
            return Next.LIST;
        }
        if (e.isTooManyRequests() || e.isWithoutConnection()) {
            // A list would fail in the same way.
            return Next.STREAM;
        }
        boolean mayNotBeServed = e.isNotFound() || e.code() == 401;
        Next next = mayNotBeServed ? Next.STREAM : brokeOff(why);
        if (next == Next.STREAM && !e.isUnreachable()) {
            log.info("{}: lists the initial state this time, because streaming it failed: {}", reflector, why);
            listsThisTime = true;
            return Next.LIST;
        }
        return next;
    }

    /** Records that the stream ended before its initial events did. */
    Next brokeOff(String why) {
        if (++failures < TRIES) {
            return Next.STREAM;
        }
        giveUp(why);
        return Next.LIST;
    }

    /** Lists from now on. */
    void giveUp(String why) {
        log.info("{}: lists the initial state from now on, because streaming it failed: {}", reflector, why);
        on = false;
    }
}
