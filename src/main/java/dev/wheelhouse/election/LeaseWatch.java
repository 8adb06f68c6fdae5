package dev.wheelhouse.election;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1Lease;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.client.ListerWatcher;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LogBudget;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * Watches the Lease while this process stands by, and wakes the elector when the Lease becomes free or expires, after a
 * short random time. The elector then reads the Lease before it takes it. One thread steps the loop.
 */
final class LeaseWatch extends SignalledLoop {
    private static final Logger log = LoggerFactory.getLogger(LeaseWatch.class);
    private static final Duration TIMEOUT = Duration.ofMinutes(5);
    /** The pause after the API server has forbidden the watch, in retry periods. */
    private static final int FORBIDDEN_PAUSE = 15;

    /** A state of the Lease, and the time of the clock at which the watch brought it. */
    record Seen(V1Lease lease, long at) {}

    private final ListerWatcher<V1Lease> source;
    private final ElectionOptions options;
    private final Clock clock;
    private final RandomGenerator random;
    private final BooleanSupplier ready;
    private final Runnable free;
    private final LogBudget lines;
    private volatile @Nullable WatchStream<V1Lease> stream;
    private volatile @Nullable Seen seen;
    private long mayOpenAt;
    private long heardAt;
    /** The time at which the elector is to look; null for never. */
    private @Nullable Long freeAt;

    /**
     * @param source the Lease alone
     * @param random spreads the attempts of several standbys
     * @param ready whether this process could act at once; otherwise it leaves the Lease to others until the elector's
     *     own next look
     * @param free called on the thread that steps this loop, whenever the Lease may be taken
     */
    LeaseWatch(ListerWatcher<V1Lease> source, ElectionOptions options, Clock clock, RandomGenerator random,
            BooleanSupplier ready, Runnable free) {
        this.source = source;
        this.options = options;
        this.clock = clock;
        this.random = random;
        this.ready = ready;
        this.free = free;
        this.lines = new LogBudget(clock);
        this.mayOpenAt = clock.nanoTime();
    }

    /** The last state that the watch brought; null if it brought none. */
    @Nullable
    Seen seen() {
        return seen;
    }

    @Override
    public long step() throws InterruptedException {
        if (isClosed()) {
            end();
            return IDLE;
        }
        if (untilFree() == 0) {
            freeAt = null;
            if (ready.getAsBoolean()) {
                free.run();
            }
        }
        try {
            WatchStream<V1Lease> open = stream;
            if (open != null) {
                return read(open);
            }
            long left = mayOpenAt - clock.nanoTime();
            return left > 0 ? Math.min(left, untilFree()) : open();
        } catch (KubeApiException e) {
            end();
            if (e.isForbidden() && !isClosed()) {
                mayOpenAt = clock.nanoTime() + FORBIDDEN_PAUSE * options.retryPeriod().toNanos();
                lines.warn(log, "the lease " + options.lease() + " cannot be watched, so this process notices some"
                        + " seconds later that it is free. Grant watch on leases: " + e.getMessage());
            }
            return BUSY;
        }
    }

    private long open() throws InterruptedException {
        heardAt = clock.nanoTime();
        mayOpenAt = heardAt + options.retryPeriod().toNanos();
        // A watch without a version begins with the present state.
        WatchStream<V1Lease> opened = source.watch(new WatchOptions("", false, TIMEOUT));
        stream = opened;
        opened.onReady(this::wake);
        return BUSY;
    }

    private long read(WatchStream<V1Lease> open) throws InterruptedException {
        WatchEvent<V1Lease> event = open.next(Duration.ofNanos(Math.min(untilFree(), untilSilent())));
        if (event != null) {
            heardAt = clock.nanoTime();
            take(event);
            return BUSY;
        }
        if (open.isEnded() || untilSilent() == 0) {
            end();
            return BUSY;
        }
        // A stream that can wait has already waited inside the read.
        return Math.min(untilFree(), untilSilent());
    }

    /** The nanoseconds until the watch counts as broken. A live holder renews the Lease many times in this time. */
    private long untilSilent() {
        return Math.max(0, heardAt + 2 * options.leaseDuration().toNanos() - clock.nanoTime());
    }

    private void take(WatchEvent<V1Lease> event) {
        switch (event) {
            case WatchEvent.Added<V1Lease> added -> saw(added.object());
            case WatchEvent.Modified<V1Lease> modified -> saw(modified.object());
            case WatchEvent.Deleted<V1Lease> deleted -> freeIn(Duration.ZERO);
            case WatchEvent.Failed<V1Lease> failed -> throw failed.error();
            case WatchEvent.Bookmark<V1Lease> bookmark -> {
            }
            case WatchEvent.Undecodable<V1Lease> undecodable -> {
            }
        }
    }

    private void saw(V1Lease lease) {
        seen = new Seen(lease, clock.nanoTime());
        freeIn(ElectionDecision.freeAfter(options, lease));
    }

    private void freeIn(Duration time) {
        long jitter = (long) (options.retryPeriod().toNanos() * ElectionOptions.SHORT_JITTER * random.nextDouble());
        freeAt = clock.nanoTime() + time.toNanos() + jitter;
    }

    private long untilFree() {
        Long at = freeAt;
        return at == null ? IDLE : Math.max(0, at - clock.nanoTime());
    }

    private void end() {
        WatchStream<V1Lease> ending = stream;
        stream = null;
        if (ending != null) {
            ending.close();
        }
    }

    @Override
    public void close() {
        super.close();
        end();
    }
}
