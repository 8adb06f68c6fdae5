package dev.wheelhouse.operator;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.runtime.Backoff;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * Runs an {@link ExternalSource} on a thread of its own, even in a test where one thread steps all loops. A source that
 * throws is run again after a backoff of 1 s to 1 min.
 */
final class SourceLoop extends SignalledLoop {
    private static final Logger log = LoggerFactory.getLogger(SourceLoop.class);
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofMinutes(1);

    private final String operator;
    private final ExternalSource source;
    private final Consumer<ObjectKey> trigger;
    private final Clock clock;
    private final Backoff backoff;
    private volatile @Nullable Thread thread;
    private volatile @Nullable Throwable failure;
    private @Nullable Long restart;

    SourceLoop(String operator, ExternalSource source, Consumer<ObjectKey> trigger, Clock clock) {
        this.operator = operator;
        this.source = source;
        this.trigger = trigger;
        this.clock = clock;
        this.backoff = new Backoff(SHORTEST, LONGEST, 2, 0.1, LONGEST.multipliedBy(2), clock, new SplittableRandom());
    }

    @Override
    public synchronized long step() {
        Throwable failed = failure;
        if (isClosed()) {
            return IDLE;
        }
        if (failed != null) {
            failure = null;
            Duration delay = backoff.next();
            restart = clock.deadline(delay);
            log.error("{}: an external source failed and is run again in {} ms", operator, delay.toMillis(), failed);
        }
        if (restart != null) {
            long left = restart - clock.nanoTime();
            if (left > 0) {
                return left;
            }
        } else if (thread != null) {
            return IDLE;
        }
        restart = null;
        thread = Thread.ofPlatform().daemon().name(operator + "-source").start(this::run);
        return IDLE;
    }

    private void run() {
        try {
            source.run(trigger);
        } catch (InterruptedException e) {
            log.debug("{}: an external source ends", operator);
        } catch (Throwable e) {
            failure = e;
            wake();
        }
    }

    @Override
    public void close() {
        super.close();
        synchronized (this) {
            if (thread != null) {
                thread.interrupt();
            }
        }
    }

    /** Waits, after {@link #close}, until the source has ended. @return false if it still runs after this time */
    boolean awaitEnd(Duration within) throws InterruptedException {
        Thread running = thread;
        return running == null || running.join(within);
    }
}
