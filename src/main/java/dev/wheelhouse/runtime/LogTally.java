package dev.wheelhouse.runtime;

import java.time.Duration;

import org.slf4j.Logger;

/**
 * Logs events of one kind as one line a second at most, at level INFO: the last event, and the number of those before
 * it since the line before. Each event has a line of its own at level DEBUG. A runner has to run it as a loop, because
 * the line about the last events of a burst comes after them. Thread safe.
 */
public final class LogTally extends SignalledLoop {
    private final Logger log;
    private final Clock clock;
    private String last = "";
    private int held;
    private long next;

    public LogTally(Logger log, Clock clock) {
        this.log = log;
        this.clock = clock;
        this.next = clock.nanoTime();
    }

    /** Logs an event now or within a second. */
    public synchronized void add(String event) {
        log.debug(event);
        last = event;
        held++;
        step();
        wake();
    }

    @Override
    public synchronized long step() {
        if (held > 0 && clock.nanoTime() - next >= 0) {
            log.info(held == 1 ? last : last + ", and " + (held - 1) + " more before it");
            held = 0;
            next = clock.deadline(Duration.ofSeconds(1));
        }
        return held == 0 ? IDLE : next - clock.nanoTime();
    }

    /** Logs the events that are left. */
    @Override
    public synchronized void close() {
        next = clock.nanoTime();
        step();
        super.close();
    }
}
