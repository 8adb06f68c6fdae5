package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceVersions;
import dev.wheelhouse.client.DecodeFailure;
import dev.wheelhouse.client.ListerWatcher;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;
import dev.wheelhouse.informer.Recovery.Phase;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;

/**
 * The steps of a {@link Reflector}: lists, opens and reads watches, and reacts to their failures. One thread at a time
 * calls {@link #step}; any thread may call {@link #session} and {@link #close}.
 */
final class ReflectorSteps<T extends KubernetesObject> {
    /**
     * The timeout of a watch that has to reach a version. kube-apiserver sends a bookmark two seconds before it
     * (upstream: {@code nextBookmarkTime} in apiserver {@code cacher/cache_watcher.go}).
     */
    private static final Duration BRIEF = Duration.ofSeconds(3);
    /** The shortest duration of a watch that is requested from the server; up to the same again is added. */
    private static final Duration WATCH_TIMEOUT = Duration.ofMinutes(5);
    /** The most watches in a row that last less than a second and are opened again at once. */
    private static final int MOST_BRIEF_WATCHES = 10;

    private final ListerWatcher<T> source;
    private final ExpectedType<T> expected;
    private final DeltaFifo<T> fifo;
    private final InformerOptions options;
    private final Clock clock;
    private final Freshness freshness;
    private final Runnable ready;
    private final ReflectorStatus status;
    private final RandomGenerator random;
    private final Pacing pacing;
    private final ListPager<T> pager;
    private final InitialStateStreaming streaming;
    private final RelistSchedule doubt;
    private final ReflectorLog log;
    private final Recovery recovery;
    private final Changes sink = new Changes();

    private Phase phase = Phase.LIST;
    private String lastVersion = "";
    /** The watches in a row that went silent although the server had, or may have had, a later version. */
    private int silences;
    /**
     * Whether a watch went silent although it had missed nothing. The server then sends no bookmarks while nothing
     * changes.
     */
    private boolean quiet;
    /**
     * The number of watches in a row that broke before they brought anything. The next event may be one that the server
     * cannot send.
     */
    private int fruitless;
    /**
     * Whether the last watch failed and no watch has brought anything since. Lists alone do not make the cache fresh.
     */
    private boolean watchFails;
    /** The watches in a row that lasted less than a second. */
    private int briefWatches;

    private volatile Consumer<? super KubeApiException> errorHandler = e -> {};
    private final CompletableFuture<Void> forbidden = new CompletableFuture<>();
    private volatile @Nullable WatchSession<T> session;
    private volatile boolean closed;

    /**
     * @param expectedType the class of the objects; objects of another class are skipped. Null accepts any class.
     * @param ready called when the open watch has events, or has ended, if its stream can signal that
     */
    ReflectorSteps(ListerWatcher<T> source, @Nullable Class<T> expectedType, DeltaFifo<T> fifo,
            InformerOptions options, Clock clock, InformerMeters meters, Freshness freshness, Runnable ready) {
        this.source = source;
        this.expected = new ExpectedType<>(expectedType);
        this.fifo = fifo;
        this.options = options;
        this.clock = clock;
        this.freshness = freshness;
        this.ready = ready;
        this.status = new ReflectorStatus(clock, meters);
        this.random = options.seed() == null ? new SplittableRandom() : new SplittableRandom(options.seed());
        this.pacing = new Pacing(clock, random);
        this.pager = new ListPager<>(source, expected, options.pageSize(), options.freshStart());
        this.streaming = new InitialStateStreaming(options.watchList(), toString());
        this.doubt = new RelistSchedule(clock);
        this.log = new ReflectorLog(toString(), clock);
        this.recovery = new Recovery(pager, streaming, pacing, status, log, clock);
    }

    /**
     * Does one step.
     *
     * @param mayWait whether a read of the watch may wait for an event
     * @return the nanoseconds until the next step is due, as {@link Loop#step}
     */
    long step(boolean mayWait) throws InterruptedException {
        if (closed) {
            return Loop.IDLE;
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
                case WATCH -> read(mayWait);
                case PROBE -> probe();
            };
        } catch (KubeApiException e) {
            return closed ? Loop.IDLE : failed(e);
        }
    }

    /** Whether the next step only reads the open watch. */
    boolean onlyReads() {
        return phase == Phase.WATCH && !freshness.isWanted() && pacing.untilAllowed() <= 0;
    }

    /** Whether a step may be due that no event of the watch announces. */
    boolean hasDeadline() {
        return doubt.isPending() || freshness.waitsForWatch();
    }

    /** The open watch; null if there is none. */
    @Nullable
    WatchSession<T> session() {
        return session;
    }

    /** Ends the open watch, and every further step. */
    void close() {
        closed = true;
        WatchSession<T> ending = session;
        if (ending != null) {
            ending.close();
        }
    }

    /** Completes when the server forbids a list or a watch for the first time. */
    CompletableFuture<Void> forbidden() {
        return forbidden;
    }

    void tellErrorsTo(Consumer<? super KubeApiException> handler) {
        errorHandler = handler;
    }

    boolean isClosed() {
        return closed;
    }

    ReflectorStatus status() {
        return status;
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
            return Loop.BUSY;
        }
        pager.skipped().forEach(this::report);
        status.unreadable(ListPager.keys(pager.skipped()));
        List<T> objects = pager.items();
        replaced(objects, pager.skipped(), pager.version());
        status.listed(Duration.ofNanos(clock.nanoTime() - pager.began()), objects.size());
        pager.end();
        streaming.listed();
        return enter(Phase.OPEN);
    }

    private void replaced(List<T> objects, List<DecodeFailure> skipped, String version) {
        fifo.replace(objects, ListPager.keys(skipped), version);
        freshness.ends();
        lastVersion = version;
        String warning = doubt.listed(objects.size(), skipped.size());
        if (warning != null) {
            log.warn(warning);
        }
        if (silences < 2 && !watchFails) {
            status.heard();
        }
        log.debug("{} objects at version {}", objects.size(), version);
    }

    private void beginRefresh() {
        close("refresh");
        pager.end();
        pager.markVersionUnavailable();
        phase = lastVersion.isEmpty() ? Phase.LIST : Phase.REFRESH;
        freshness.begins(clock.nanoTime());
    }

    private long relist(String cause) {
        return enter(recovery.relist(cause));
    }

    /** Enters a phase. @return the wait until then, if a pause has begun */
    private long enter(Phase next) {
        phase = next;
        return Math.max(Loop.BUSY, pacing.untilAllowed());
    }

    /**
     * Requests one object not older than the last version. A server that was restored from a backup fails this request;
     * a watch would wait.
     */
    private long probe() throws InterruptedException {
        boolean missedNothing = pager.probe(lastVersion);
        quiet = missedNothing && (quiet || silences > 0);
        if (missedNothing) {
            silences = 0;
            status.heard();
        }
        return enter(Phase.OPEN);
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
                : WATCH_TIMEOUT.plusMillis((long) (WATCH_TIMEOUT.toMillis() * random.nextDouble()));
        WatchStream<T> stream = source.watch(new WatchOptions(from, initialState, timeout));
        WatchSession<T> opened = new WatchSession<>(stream, initialState, sink, expected, options, clock, status,
                ready);
        opened.mayBeSilentFor(quiet ? timeout : Duration.ZERO);
        session = opened;
        if (closed) {
            opened.close();
            return Loop.IDLE;
        }
        status.watchStarted();
        if (!initialState && silences < 2) {
            // The watch replays the missed events, so the earlier failure is over.
            status.recovered();
        }
        return enter(Phase.WATCH);
    }

    private long read(boolean mayWait) throws InterruptedException {
        WatchSession<T> reading = session;
        if (reading == null) {
            return enter(Phase.OPEN);
        }
        WatchSession.Outcome outcome = reading.read(mayWait || !reading.wakes() ? doubt.untilDue() : 0);
        if (closed) {
            return Loop.IDLE;
        }
        if (doubt.untilDue() <= 0) {
            return recheck();
        }
        return switch (outcome) {
            case EVENTS -> Loop.BUSY;
            case NOTHING -> Math.min(Math.min(reading.untilSilent(), Math.min(reading.untilDue(), doubt.untilDue())),
                    freshness.waitsForWatch() ? Reflector.POLL_NANOS : Loop.IDLE);
            case ENDED -> ended(reading);
            case SILENT -> silent(reading);
        };
    }

    private long recheck() {
        if (doubt.isOfEmptyList()) {
            close("doubt");
            // Perhaps only the server's cache is empty, so the list is a consistent read.
            pager.markVersionUnavailable();
            return relist("the last list was empty");
        }
        // The undecodable event may have been a change that no other event reports.
        close("undecodable");
        return relist("the watch brought what cannot be decoded");
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
            status.readable(changes.stream().map(Delta::key));
            if (freshness.reached(lastVersion)) {
                pager.succeeded();
            }
            doubt.changed(changes);
            recovery.progressed();
            silences = 0;
            fruitless = 0;
            watchFails = false;
            quiet = false;
            status.heard();
        }

        @Override
        public void initialState(Collection<T> objects, String version) {
            streaming.succeeded();
            pager.succeeded();
            replaced(new ArrayList<>(objects), List.of(), version);
            status.readable(objects.stream().map(ObjectKey::of));
            WatchSession<T> streamed = session;
            if (streamed != null) {
                status.listed(streamed.lasted(), objects.size());
            }
        }

        @Override
        public void undecodable(DecodeFailure failure) {
            report(failure);
            doubt.undecodable();
        }
    }

    private void report(DecodeFailure failure) {
        status.skipped(failure);
        log.warn("skipped an object that cannot be decoded: " + failure);
    }

    // ---- the end of a watch

    private long ended(WatchSession<T> ending) {
        close("ended");
        if (ending.inInitialState()) {
            return enter(recovery.ofEndedStream("the server ended the watch before the initial events ended"));
        }
        if (freshness.waitsForWatch()) {
            return listInstead();
        }
        phase = Phase.OPEN;
        briefWatches = ending.lasted().toSeconds() == 0 ? briefWatches + 1 : 0;
        if (freshness.isWanted()) {
            return Loop.BUSY;
        }
        if (ending.wasBrief()) {
            return enter(recovery.relistAfter(null, "brief"));
        }
        return briefWatches > MOST_BRIEF_WATCHES ? pacing.pause(null) : Loop.BUSY;
    }

    /** Lists consistently, because the watch has not reached the wanted version. */
    private long listInstead() {
        status.relisted("refresh");
        return enter(Phase.LIST);
    }

    private long silent(WatchSession<T> ending) {
        close("silence");
        if (freshness.waitsForWatch()) {
            return listInstead();
        }
        if (ending.inInitialState()) {
            streaming.giveUp("the initial events did not end in time");
            return enter(Phase.LIST);
        }
        String message = "watch " + source.type() + ": no event arrived for " + ending.silence()
                + ", not even a bookmark; the watch is opened again";
        silences++;
        if (silences > 1) {
            status.failed("watch", 0, "watch " + source.type() + ": two watches in a row brought nothing, not even a"
                    + " bookmark, although the server has a later version; lists instead, until a watch brings"
                    + " something: look for a proxy that withholds events");
            return relist("silence");
        }
        status.failed("watch", 0, message);
        log.info(message);
        return enter(Phase.PROBE);
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

    private long failed(KubeApiException e) {
        WatchSession<T> failing = session;
        boolean initialState = failing == null ? phase == Phase.LIST && streaming.isOn() : failing.inInitialState();
        boolean watching = !initialState && (phase == Phase.OPEN || phase == Phase.WATCH);
        String verb = watching || initialState ? "watch" : "list";
        String message = Explanations.of(e, verb, source.type(), source.namespace());
        status.failed(verb, e.code(), message);
        try {
            errorHandler.accept(e);
        } catch (RuntimeException | Error thrown) {
            log.warn("the handler of watch errors failed: " + thrown);
        }
        if (e.isForbidden()) {
            forbidden.complete(null);
        }
        close(e.isExpired() ? "expired" : e.isTooManyRequests() ? "throttled" : "error");
        if (initialState) {
            return enter(recovery.ofInitialState(e, message));
        }
        if (watching) {
            watchFails = !e.isExpired();
            boolean mayContinue = failing != null && e.isUnreachable() && !failing.wasBrief()
                    && (failing.events() > 0 || ++fruitless < 2);
            return enter(recovery.ofWatch(e, message, mayContinue));
        }
        return enter(phase == Phase.PROBE ? recovery.ofProbe(e, message) : recovery.ofList(e, message, phase));
    }

    @Override
    public String toString() {
        return "reflector of " + source.type() + (source.namespace().isEmpty() ? "" : " in " + source.namespace());
    }
}
