package dev.wheelhouse.apiserver;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.runtime.Clock;

/**
 * Logs events that clients cause. For each kind of event it logs the first at once, then one line a minute with the
 * count, so that a hostile client cannot fill the log. Thread safe.
 */
final class Tally {
    private static final Logger log = LoggerFactory.getLogger(Tally.class);
    private static final Duration PAUSE = Duration.ofMinutes(1);

    private final Clock clock;
    private final Map<String, Count> counts = new TreeMap<>();

    private static final class Count {
        long unreported;
        long nextAt;
    }

    Tally(Clock clock) {
        this.clock = clock;
    }

    /** @param event the kind of event; the text must not depend on the client */
    synchronized void add(String event) {
        long now = clock.nanoTime();
        Count count = counts.get(event);
        if (count == null) {
            count = new Count();
            count.nextAt = now;
            counts.put(event, count);
        }
        count.unreported++;
        if (now - count.nextAt >= 0) {
            log.warn("{}: {} since the last such line", event, count.unreported);
            count.unreported = 0;
            count.nextAt = now + PAUSE.toNanos();
        }
    }
}
