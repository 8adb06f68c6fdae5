package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.ResourceVersions;
import dev.wheelhouse.client.DecodeFailure;
import dev.wheelhouse.client.ListerWatcher;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LogBudget;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.Signal;

/**
 * Lists and watches one resource type, and appends the changes to a {@link DeltaFifo} (upstream: client-go
 * {@code tools/cache/reflector.go}; KEP-3157 for the streamed initial state). One step reads one page of a list, opens
 * a watch, or reads a batch of its events.
 *
 * <ul>
 * <li>It lists when it starts. It lists again only if the server answers that the last version is gone (410), not known
 * or not valid, or that the collection does not exist (404).
 * <li>A watch that ends, breaks, is throttled or goes silent is opened again at the last version; after a failure,
 * after a backoff.
 * <li>It reads consistently if somebody needs a state that is not older than a moment, see {@link Freshness}.
 * <li>It lists again, and reports a failure until a watch brings something, if two watches in a row go silent although
 * the server has a later version: they only seem alive.
 * <li>An object that cannot be decoded is logged, counted and skipped. If a watch brought it, the collection is listed
 * again after half a minute.
 * <li>If a relist is empty although the cache held objects, the collection is listed again by a consistent read after
 * half a minute, and while it stays empty after twice as long each time, up to an hour: a sick server may list nothing.
 * </ul>
 */
final class Reflector<T extends KubernetesObject> implements Loop {
    private static final Logger log = LoggerFactory.getLogger(Reflector.class);

    /** The interval at which a stream is polled that cannot signal its events. */
    private static final long POLL_NANOS = 10_000_000;
    /**
     * The timeout of a watch that has to reach a version. kube-apiserver sends a bookmark two seconds before it
     * (upstream: {@code nextBookmarkTime} in apiserver {@code cacher/cache_watcher.go}).
     */
    private static final Duration BRIEF = Duration.ofSeconds(3);
    private static final Duration FIRST_RECHECK = Duration.ofSeconds(30);
    private static final Duration LONGEST_RECHECK = Duration.ofHours(1);

    private enum Phase {
        /** The next step lists or streams the initial state. */
        LIST,
        /** The next step opens a watch at the last version. */
        OPEN,
        /** A watch is open. */
        WATCH,
        /**
         * The next step lists consistently, because somebody needs a fresh state. If the collection has several pages,
         * the first one only tells the version that a watch has to reach.
         */
        REFRESH,
        /**
         * The next step asks whether the server knows the last version. A watch from a version in the future would only
         * wait.
         */
        PROBE
    }

    private final ListerWatcher<T> source;
    private final ExpectedType<T> expected;
    private final DeltaFifo<T> fifo;
    private final InformerOptions options;
    private final Clock clock;
    private final ReflectorStatus status;
    private final Signal signal = new Signal();
    private final RandomGenerator random;
    private final Pacing pacing;
    private final ListPager<T> pager;
    private final InitialStateStreaming streaming;
    private final Freshness freshness;
    private final Changes sink = new Changes();

    /** Held by the thread that steps: the loop's own, or the one that brings the events of the open watch. */
    private final ReentrantLock turn = new ReentrantLock();
    /** Whether a thread of its own drives this loop; false where a test steps it. */
    private volatile boolean driven;
    private Phase phase = Phase.LIST;
    private final LogBudget lines;

    private String lastVersion = "";
    /** Whether a watch brought an event or a bookmark since the last relist; true before the first relist. */
    private boolean progressed = true;
    /** The watches in a row that went silent although the server had, or may have had, a later version. */
    private int silences;
    /** The time of the clock at which the collection is listed again, because the cache may be wrong; 0 for never. */
    private long recheckAt;
    private Duration recheckDelay = FIRST_RECHECK;
    /** The approximate number of cached objects. Events that a sick server repeats are counted again. */
    private long held;
    /** Whether the last list was empty although the cache held objects, and no list since then has had any. */
    private boolean emptied;

    private volatile @Nullable WatchSession<T> session;
    private volatile boolean closed;

    /** @param expectedType the class of the objects; objects of another class are skipped. Null accepts any class. */
    Reflector(ListerWatcher<T> source, @Nullable Class<T> expectedType, DeltaFifo<T> fifo, InformerOptions options,
            Clock clock, ReflectorMetrics metrics) {
        this.source = source;
        this.expected = new ExpectedType<>(expectedType);
        this.fifo = fifo;
        this.options = options;
        this.clock = clock;
        this.status = new ReflectorStatus(clock, metrics);
        this.random = options.seed() == null ? new SplittableRandom() : new SplittableRandom(options.seed());
        this.pacing = new Pacing(clock, random);
        this.lines = new LogBudget(clock);
        this.streaming = new InitialStateStreaming(options.watchList(), toString());
        this.freshness = new Freshness(fifo);
        this.pager = new ListPager<>(source, expected, options.pageSize(), options.freshStart());
    }

    /** Says that a thread drives this loop, so that other threads may step it, too. */
    void drive() {
        driven = true;
    }

    @Override
    public long step() throws InterruptedException {
        turn.lockInterruptibly();
        try {
            return stepInTurn();
        } finally {
            turn.unlock();
        }
    }

    private long stepInTurn() throws InterruptedException {
        if (closed) {
            return IDLE;
        }
        if (freshness.isWanted()) {
            beginRefresh();
        }
        long wait = pacing.untilAllowed();
        if (wait > 0) {
            return wait;
        }
        try {
            return switch (phase) {
                case LIST -> streaming.isOn() ? open() : list();
                case REFRESH -> list();
                case OPEN -> open();
                case WATCH -> read();
                case PROBE -> probe();
            };
        } catch (ApiError e) {
            return closed ? IDLE : failed(e);
        }
    }

    // ---- list

    private long list() throws InterruptedException {
        if (!pager.inProgress()) {
            long now = clock.nanoTime();
            if (pager.begin(lastVersion, now)) {
                freshness.begins(now);
            }
        }
        boolean last = pager.nextPage();
        status.read(0, pager.pageBytes());
        if (!last) {
            if (phase == Phase.REFRESH) {
                freshness.waitFor(pager.version());
                pager.end();
                phase = Phase.OPEN;
            }
            return BUSY;
        }
        pager.skipped().forEach(this::report);
        List<T> objects = pager.items();
        replaced(objects, pager.skipped(), pager.version());
        status.listed(since(pager.began()), objects.size());
        pager.end();
        streaming.listed();
        phase = Phase.OPEN;
        return BUSY;
    }

    private void replaced(List<T> objects, List<DecodeFailure> skipped, String version) {
        fifo.replace(objects, ListPager.keys(skipped), version);
        freshness.ends();
        lastVersion = version;
        boolean empty = objects.isEmpty() && skipped.isEmpty();
        // A server that keeps undecodable objects, or whose collection stays empty, is listed less and less often.
        recheckDelay = !skipped.isEmpty() || (empty && emptied) ? longer(recheckDelay) : FIRST_RECHECK;
        emptied = empty && (emptied || held > 0);
        recheckAt = emptied ? clock.deadline(recheckDelay) : 0;
        if (emptied && held > 0) {
            warn("the list is empty, although the cache held about " + held + " objects; lists again in "
                    + recheckDelay.toSeconds() + " s, as a sick server may list nothing");
        }
        held = (long) objects.size() + skipped.size();
        if (silences < 2) {
            status.heard();
        }
        log.debug("{}: {} objects at version {}", this, objects.size(), version);
    }

    /** Calls an action when the cache holds a state that the server had at a time or later. Any thread may call it. */
    void refresh(long since, Runnable action) {
        if (freshness.ask(since, action)) {
            WatchSession<T> reading = session;
            if (reading != null) {
                // The loop may be waiting for its next event.
                reading.close();
            }
            signal.raise();
        }
    }

    private void beginRefresh() {
        close("refresh");
        pager.end();
        pager.markVersionUnavailable();
        phase = lastVersion.isEmpty() ? Phase.LIST : Phase.REFRESH;
        freshness.begins(clock.nanoTime());
    }

    private long relist(String cause) {
        status.relisted(cause);
        phase = Phase.LIST;
        pager.end();
        log.debug("{}: lists again after version {}; cause: {}", this, lastVersion, cause);
        if (progressed) {
            progressed = false;
            return BUSY;
        }
        // No event came since the last relist: wait before the next one, so that a server that refuses every watch is
        // not flooded with lists.
        return pacing.pause(null);
    }

    /**
     * Requests one object not older than the last version. A server that was restored from a backup fails this request;
     * a watch would wait.
     */
    private long probe() throws InterruptedException {
        if (pager.probe(lastVersion)) {
            silences = 0;
            status.heard();
        }
        phase = Phase.OPEN;
        return BUSY;
    }

    // ---- watch

    private long open() throws InterruptedException {
        boolean initialState = phase == Phase.LIST;
        String from = initialState ? pager.watchVersion(lastVersion) : lastVersion;
        if (from.isEmpty()) {
            freshness.begins(clock.nanoTime());
        }
        Duration timeout = freshness.waitsForWatch()
                ? BRIEF
                : options.watchTimeout()
                        .plusMillis((long) (options.watchTimeout().toMillis() * random.nextDouble()));
        WatchStream<T> stream = source.watch(new WatchOptions(from, initialState, timeout));
        WatchSession<T> opened = new WatchSession<>(stream, initialState, sink, expected, options, clock, status,
                this::ready);
        session = opened;
        if (closed) {
            opened.close();
            return IDLE;
        }
        status.watchStarted();
        if (!initialState && silences < 2) {
            // The watch replays the missed events, so the earlier failure is over.
            status.recovered();
        }
        phase = Phase.WATCH;
        return BUSY;
    }

    private long read() throws InterruptedException {
        WatchSession<T> reading = session;
        if (reading == null) {
            phase = Phase.OPEN;
            return BUSY;
        }
        WatchSession.Outcome outcome = reading.read(driven && reading.wakes() ? 0 : untilRecheck());
        if (closed) {
            return IDLE;
        }
        if (untilRecheck() <= 0) {
            return recheck();
        }
        return switch (outcome) {
            case EVENTS -> BUSY;
            // A stream does not signal that a bookmark is due.
            case NOTHING -> Math.min(Math.min(reading.untilSilent(), untilRecheck()),
                    freshness.waitsForWatch() ? POLL_NANOS : IDLE);
            case ENDED -> ended(reading);
            case SILENT -> silent(reading);
        };
    }

    /**
     * The open watch has events, or has ended. The thread that says so reads the events, if the stream lends it; this
     * loop's own thread does all else.
     */
    private void ready() {
        WatchSession<T> reading = session;
        if (!driven || reading == null || !reading.lendsThread() || !turn.tryLock()) {
            signal.raise();
            return;
        }
        try {
            long wait = BUSY;
            while (wait == BUSY && isReading()) {
                wait = stepInTurn();
            }
            if (!isReading() || recheckAt != 0 || freshness.waitsForWatch()) {
                signal.raise();
            }
        } catch (InterruptedException e) {
            signal.raise();
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            // The stream may have ended, so that no further event wakes the loop.
            signal.raise();
            throw e;
        } finally {
            turn.unlock();
        }
    }

    /** Whether the next step only reads the open watch. */
    private boolean isReading() {
        return phase == Phase.WATCH && !freshness.isWanted() && pacing.untilAllowed() <= 0;
    }

    private long recheck() {
        if (emptied) {
            close("doubt");
            // Perhaps only the server's cache is empty, so the list is a consistent read.
            pager.markVersionUnavailable();
            return relist("the last list was empty");
        }
        // The undecodable event may have been a change that no other event reports.
        close("undecodable");
        return relist("the watch brought what cannot be decoded");
    }

    private long untilRecheck() {
        return recheckAt == 0 ? Long.MAX_VALUE : recheckAt - clock.nanoTime();
    }

    /** Receives the events of the open watch. */
    private final class Changes implements WatchSession.Sink<T> {
        @Override
        public void changed(List<Delta<T>> changes, String version) {
            String followed = "";
            if (!version.isEmpty()) {
                // Never go back: a watch that repeats old states would otherwise be opened again at an old version, and
                // repeat them again.
                lastVersion = ResourceVersions.later(lastVersion, version);
                followed = lastVersion;
            }
            fifo.add(changes, followed);
            if (freshness.reached(lastVersion)) {
                pager.succeeded();
            }
            count(changes);
            progressed = true;
            silences = 0;
            status.heard();
        }

        @Override
        public void initialState(Collection<T> objects, String version) {
            streaming.succeeded();
            pager.succeeded();
            replaced(new ArrayList<>(objects), List.of(), version);
            WatchSession<T> streamed = session;
            if (streamed != null) {
                status.listed(streamed.lasted(), objects.size());
            }
        }

        @Override
        public void undecodable(DecodeFailure failure) {
            report(failure);
            if (recheckAt == 0) {
                recheckAt = clock.deadline(recheckDelay);
            }
        }
    }

    private void count(List<Delta<T>> changes) {
        for (int i = 0; i < changes.size(); i++) {
            Delta.Type type = changes.get(i).type;
            if (type == Delta.Type.ADDED) {
                held++;
            } else if (type == Delta.Type.DELETED && held > 0) {
                held--;
            }
        }
    }

    private static Duration longer(Duration delay) {
        Duration twice = delay.multipliedBy(2);
        return twice.compareTo(LONGEST_RECHECK) > 0 ? LONGEST_RECHECK : twice;
    }

    private void report(DecodeFailure failure) {
        status.skipped(failure);
        warn("skipped an object that cannot be decoded: " + failure);
    }

    private void warn(String text) {
        String line = lines.line(text);
        if (line != null) {
            log.warn("{}: {}", this, line);
        }
    }

    private void info(String text) {
        String line = lines.line(text);
        if (line != null) {
            log.info("{}: {}", this, line);
        }
    }

    /** Logs a failure of a watch. A stream that broke is opened again at once, which then succeeds or is logged. */
    private void info(ApiError e, String text) {
        if (e.code() == 0) {
            log.debug("{}: {}", this, text);
        } else {
            info(text);
        }
    }

    // ---- the end of a watch

    private long ended(WatchSession<T> ending) {
        close("ended");
        if (ending.inInitialState()) {
            return streamingFailed("the server ended the watch before the initial events ended");
        }
        if (freshness.waitsForWatch()) {
            return listInstead();
        }
        phase = Phase.OPEN;
        return ending.wasBrief() && !freshness.isWanted() ? pacing.pause(null) : BUSY;
    }

    /** Lists consistently, because the watch has not reached the wanted version. */
    private long listInstead() {
        status.relisted("refresh");
        phase = Phase.LIST;
        return BUSY;
    }

    private long silent(WatchSession<T> ending) {
        close("silence");
        if (freshness.waitsForWatch()) {
            return listInstead();
        }
        if (ending.inInitialState()) {
            streaming.giveUp("the initial events did not end in time");
            phase = Phase.LIST;
            return BUSY;
        }
        String message = "watch " + source.type() + ": no event arrived for " + options.silenceDeadline()
                + ", not even a bookmark; the watch is opened again";
        silences++;
        if (silences > 1) {
            status.failed("watch", 0, "watch " + source.type() + ": two watches in a row brought nothing, not even a"
                    + " bookmark, although the server has a later version; lists instead, until a watch brings"
                    + " something: look for a proxy that withholds events");
            return relist("silence");
        }
        status.failed("watch", 0, message);
        info(message);
        phase = Phase.PROBE;
        return BUSY;
    }

    private long streamingFailed(String why) {
        pager.end();
        phase = Phase.LIST;
        return streaming.brokeOff(why) == InitialStateStreaming.Next.STREAM ? pacing.pause(null) : BUSY;
    }

    private void close(String cause) {
        WatchSession<T> ending = session;
        session = null;
        if (ending != null) {
            ending.close();
            status.watchEnded(cause, ending);
        }
    }

    // ---- failures

    private long failed(ApiError e) {
        WatchSession<T> failing = session;
        boolean initialState = failing == null
                ? phase == Phase.LIST && streaming.isOn()
                : failing.inInitialState();
        boolean watching = !initialState && (phase == Phase.OPEN || phase == Phase.WATCH);
        String verb = watching || initialState ? "watch" : "list";
        String message = Explanations.of(e, verb, source.type(), source.namespace());
        status.failed(verb, e.code(), message);
        close(e.isExpired() ? "expired" : e.isTooManyRequests() ? "throttled" : "error");
        if (initialState) {
            return initialStateFailed(e, message);
        }
        if (watching) {
            return watchFailed(e, message, failing == null);
        }
        return phase == Phase.PROBE ? probeFailed(e, message) : listFailed(e, message);
    }

    private long initialStateFailed(ApiError e, String message) {
        phase = Phase.LIST;
        if (e.isExpired() || e.isTooLargeResourceVersion()) {
            return pager.markVersionUnavailable() ? BUSY : pacing.pause(e);
        }
        if (streaming.failed(e, message) == InitialStateStreaming.Next.LIST) {
            return BUSY;
        }
        info(e, message);
        return pacing.pause(e);
    }

    private long listFailed(ApiError e, String message) {
        status.listFailed(since(pager.began()));
        if (pager.fallsBackAfter(e)) {
            info(e.getMessage() + "; lists again by a consistent read");
            return BUSY;
        }
        if (!e.isUnreachable()) {
            warn(message);
        }
        return pacing.pause(e);
    }

    private long watchFailed(ApiError e, String message, boolean opening) {
        phase = Phase.OPEN;
        if (e.isExpired()) {
            return relist("expired");
        }
        if (e.isTooLargeResourceVersion()) {
            return relist("too large resource version");
        }
        info(e, message);
        if (e.code() == 400 || e.isInvalid()) {
            pager.markVersionUnavailable();
            relist("refused");
        } else if (e.isNotFound()) {
            relist("not found");
        } else if (e.code() == 0 && opening) {
            // The server was away. It may have come back with older data.
            phase = Phase.PROBE;
        }
        return pacing.pause(e);
    }

    private long probeFailed(ApiError e, String message) {
        if (e.isExpired() || e.isTooLargeResourceVersion()) {
            pager.markVersionUnavailable();
            return relist("the server does not know the last version");
        }
        info(e, message);
        return pacing.pause(e);
    }

    private Duration since(long nanoTime) {
        return Duration.ofNanos(clock.nanoTime() - nanoTime);
    }

    // ---- loop and state

    @Override
    public void await(long nanos) throws InterruptedException {
        if (!closed) {
            // A stream that cannot signal readiness is polled.
            WatchSession<T> open = session;
            signal.await(open != null && !open.wakes() ? Math.min(nanos, POLL_NANOS) : nanos);
        }
        if (closed) {
            throw new InterruptedException("the reflector of " + source.type() + " was closed");
        }
    }

    /** Lets the loop do a step. Any thread may call it. */
    void wake() {
        signal.raise();
    }

    @Override
    public void close() {
        closed = true;
        WatchSession<T> ending = session;
        if (ending != null) {
            ending.close();
        }
        signal.raise();
    }

    ReflectorStatus status() {
        return status;
    }

    @Override
    public String toString() {
        return "reflector of " + source.type() + (source.namespace().isEmpty() ? "" : " in " + source.namespace());
    }
}
