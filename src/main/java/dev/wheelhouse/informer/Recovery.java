package dev.wheelhouse.informer;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.runtime.Clock;

/**
 * Decides what a {@link Reflector} does after a failed request, and when. Each method returns the next phase, and has
 * begun a pause if that must wait. Not thread safe: it belongs to one Reflector's loop.
 */
final class Recovery {
    /** The kind of a Reflector's next step. */
    enum Phase {
        /** The next step lists or streams the initial state. */
        LIST,
        /** The next step opens a watch at the last version. */
        OPEN,
        /** A watch is open. */
        WATCH,
        /**
         * The next step lists consistently, because a caller of {@link Freshness} needs a fresh state. If the
         * collection has several pages, the first one only tells the version that a watch has to reach.
         */
        REFRESH,
        /**
         * The next step asks whether the server knows the last version. A watch from a version in the future would only
         * wait.
         */
        PROBE
    }

    /** Relists in a shorter time than this many nanoseconds have pauses between them, whatever the watches bring. */
    private static final long SOON = Duration.ofSeconds(10).toNanos();

    private final ListPager<?> pager;
    private final InitialStateStreaming streaming;
    private final Pacing pacing;
    private final ReflectorStatus status;
    private final ReflectorLog log;
    private final Clock clock;
    /** Whether a watch brought an event or a bookmark since the last relist; true before the first relist. */
    private boolean progressed = true;
    /** The time of the last relist, in nanoseconds of the clock. */
    private long relistedAt;

    Recovery(ListPager<?> pager, InitialStateStreaming streaming, Pacing pacing, ReflectorStatus status,
            ReflectorLog log, Clock clock) {
        this.pager = pager;
        this.streaming = streaming;
        this.pacing = pacing;
        this.status = status;
        this.log = log;
        this.clock = clock;
        this.relistedAt = clock.nanoTime() - SOON;
    }

    /** Records that a watch brought an event or a bookmark. */
    void progressed() {
        progressed = true;
    }

    /**
     * Lists again. If no event came since the last relist, or the last relist was less than ten seconds ago, waits
     * first, so that lists do not flood the server.
     */
    Phase relist(String cause) {
        long now = clock.nanoTime();
        if (!progressed || now - relistedAt < SOON) {
            pacing.pause(null);
        }
        return relisting(cause, now);
    }

    /** Lists again after a pause. */
    Phase relistAfter(@Nullable KubeApiException e, String cause) {
        pacing.pause(e);
        return relisting(cause, clock.nanoTime());
    }

    private Phase relisting(String cause, long now) {
        status.relisted(cause);
        pager.end();
        log.debug("lists again; cause: {}", cause);
        relistedAt = now;
        progressed = false;
        return Phase.LIST;
    }

    /** The server ended the stream of the initial state too early. */
    Phase ofEndedStream(String why) {
        pager.end();
        if (streaming.brokeOff(why) == InitialStateStreaming.Next.STREAM) {
            pacing.pause(null);
        }
        return Phase.LIST;
    }

    /** @param message the failure in words for a user, as in the methods below */
    Phase ofInitialState(KubeApiException e, String message) {
        if (e.isExpired() || e.isTooLargeResourceVersion()) {
            if (!pager.markVersionUnavailable()) {
                pacing.pause(e);
            }
        } else if (streaming.failed(e, message) == InitialStateStreaming.Next.STREAM) {
            log.info(e, message);
            pacing.pause(e);
        }
        return Phase.LIST;
    }

    /** @param listing the phase that lists */
    Phase ofList(KubeApiException e, String message, Phase listing) {
        status.listFailed(Duration.ofNanos(clock.nanoTime() - pager.began()));
        if (pager.fallsBackAfter(e)) {
            log.info(e.getMessage() + "; lists again by a consistent read");
            return listing;
        }
        if (!e.isUnreachable()) {
            log.warn(message);
        }
        pacing.pause(e);
        return listing;
    }

    /**
     * A watch could not be opened, or was ended by an error. As in upstream, the Reflector lists again, unless another
     * watch is likely to succeed or a list is likely to fail as well.
     *
     * @param mayContinue whether only the connection broke, so that the next watch may bring the missing events
     */
    Phase ofWatch(KubeApiException e, String message, boolean mayContinue) {
        if (e.isExpired()) {
            return relist("expired");
        }
        if (e.isTooLargeResourceVersion()) {
            return relist("too large resource version");
        }
        log.info(e, message);
        if (e.isTooManyRequests() || mayContinue) {
            pacing.pause(e);
            return Phase.OPEN;
        }
        if (e.isWithoutConnection()) {
            // The server was away. It may have come back with older data.
            pacing.pause(e);
            return Phase.PROBE;
        }
        if (e.isRefusedVersion()) {
            pager.markVersionUnavailable();
            return relistAfter(e, "refused");
        }
        return relistAfter(e, e.isNotFound() ? "not found" : e.code() == 0 ? "broken" : "error");
    }

    Phase ofProbe(KubeApiException e, String message) {
        if (e.isRefusedVersion()) {
            pager.markVersionUnavailable();
            return relist("the server does not know the last version");
        }
        log.info(e, message);
        if (e.isTooManyRequests() || e.isWithoutConnection()) {
            pacing.pause(e);
            return Phase.PROBE;
        }
        return relistAfter(e, "error");
    }
}
