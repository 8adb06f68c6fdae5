package dev.wheelhouse.apiserver;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.runtime.Clock;

/**
 * Tells of what clients do in a line a minute that counts it, since a hostile one must not fill the log. The first of a kind is
 * told at once. Thread safe.
 */
final class Tally {
    private static final Logger log = LoggerFactory.getLogger(Tally.class);
    private static final Duration PAUSE = Duration.ofMinutes(1);

    private final Clock clock;
    private final Map<String, Count> counts = new TreeMap<>();

    private static final class Count {
        long untold;
        long nextAt;
    }

    Tally(Clock clock) {
        this.clock = clock;
    }

    /** @param event a kind of event, in words that do not depend on the client */
    synchronized void add(String event) {
        long now = clock.nanoTime();
        Count count = counts.get(event);
        if (count == null) {
            count = new Count();
            count.nextAt = now;
            counts.put(event, count);
        }
        count.untold++;
        if (now - count.nextAt >= 0) {
            log.warn("{}: {} since the last such line", event, count.untold);
            count.untold = 0;
            count.nextAt = now + PAUSE.toNanos();
        }
    }
}
