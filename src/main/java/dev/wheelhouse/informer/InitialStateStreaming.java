package dev.wheelhouse.informer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.api.ApiError;

/**
 * Whether a Reflector streams the initial state (KEP-3157) or lists it. A server that refuses, or never ends the initial events, is
 * listed from then on; so is one that fails three times in a row. After an error of the server's own it is listed at once, this
 * time: kube-apiserver answers so where its etcd cannot tell its progress. Belongs to one Reflector's loop.
 */
final class InitialStateStreaming {
    private static final Logger log = LoggerFactory.getLogger(InitialStateStreaming.class);
    private static final int TRIES = 3;

    /** What a failed stream is followed by. */
    enum Next {
        /** The same again, after a pause. */
        STREAM,
        /** A list, at once. */
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

    /** The initial state was streamed whole. */
    void succeeded() {
        failures = 0;
    }

    /** The initial state was listed: the next is streamed again, unless that was given up. */
    void listed() {
        listsThisTime = false;
    }

    /** The stream broke off, or could not be opened. */
    Next failed(ApiError e, String why) {
        if (e.code() == 400 || e.isForbidden() || e.isInvalid()) {
            giveUp(why);
            return Next.LIST;
        }
        if (e.isTooManyRequests() || e.isNotFound() || e.code() == 401) {
            // A list would fare no better.
            return Next.STREAM;
        }
        Next next = brokeOff(why);
        if (next == Next.STREAM && e.code() >= 500 && e.code() != 503) {
            log.info("{}: the initial state is listed this time: {}", reflector, why);
            listsThisTime = true;
            return Next.LIST;
        }
        return next;
    }

    /** The stream ended before the initial events did. */
    Next brokeOff(String why) {
        if (++failures < TRIES) {
            return Next.STREAM;
        }
        giveUp(why);
        return Next.LIST;
    }

    /** The server does not do it. */
    void giveUp(String why) {
        log.info("{}: the initial state is listed instead of streamed: {}", reflector, why);
        on = false;
    }
}
