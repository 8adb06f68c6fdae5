package dev.wheelhouse.client.http;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.time.Duration;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.runtime.Clock;

/**
 * Logs an outage of the API server: one line when no connection can be made, and one when the server answers again.
 * Callers do not log {@link KubeApiException#isUnreachable() unreachable} errors, so that an outage does not cause a
 * line for each cache and each object. A connection that broke counts as well: the next request succeeds, or begins an
 * outage. Thread safe.
 */
final class ServerOutage {
    private static final Logger log = LoggerFactory.getLogger(ServerOutage.class);

    private final String server;
    private final Clock clock;
    private volatile boolean on;
    private long since;

    ServerOutage(String server, Clock clock) {
        this.server = server;
        this.clock = clock;
    }

    /** The error of a request that got no answer. */
    KubeApiException error(String tried, IOException cause) {
        KubeApiException error = new KubeApiException(tried, cause);
        if (error.isWithoutConnection()) {
            begin(cause);
        }
        return on || isBroken(cause) ? KubeApiException.unreachable(tried, cause) : error;
    }

    private synchronized void begin(IOException cause) {
        if (!on) {
            on = true;
            since = clock.nanoTime();
            log.warn("{} cannot be reached, and is tried until it answers: {}", server,
                    cause instanceof UnknownHostException ? "no host has this name" : cause.getMessage());
        }
    }

    /**
     * Records an answer of the server. The answer to a request that was sent before the outage does not end it.
     *
     * @param sent the time of the clock at which the request was sent
     */
    void answered(long sent) {
        if (on) {
            end(sent);
        }
    }

    private synchronized void end(long sent) {
        if (on && sent - since > 0) {
            on = false;
            log.info("{} answers again after {} s", server,
                    Duration.ofNanos(clock.nanoTime() - since).toSeconds());
        }
    }

    private static boolean isBroken(IOException cause) {
        return cause instanceof SocketException || cause instanceof EOFException
                || String.valueOf(cause.getMessage()).contains("unexpected end of stream");
    }
}
