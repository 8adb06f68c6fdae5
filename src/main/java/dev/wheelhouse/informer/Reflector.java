package dev.wheelhouse.informer;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.DecodeFailure;
import dev.wheelhouse.client.ListerWatcher;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;
import dev.wheelhouse.runtime.Backoff;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.Signal;

/**
 * Lists and watches one resource type, and appends what it learns to a {@link DeltaFifo} (upstream: client-go
 * {@code tools/cache/reflector.go}; KEP-3157 for the streamed initial state). One step is one page of a list, the opening of a
 * watch, or a batch of its events.
 *
 * <ul>
 * <li>It lists when it starts and when the server says that its version is gone (410) or unknown, and never otherwise.
 * <li>A watch that ends, breaks, is throttled or goes silent is opened again at the last version, after a backoff where
 * something failed.
 * <li>An object that cannot be decoded is reported, counted and skipped.
 * </ul>
 */
final class Reflector<T extends KubernetesObject> implements Loop {
    private static final Logger log = LoggerFactory.getLogger(Reflector.class);

    private static final long POLL_NANOS = 10_000_000;

    private enum Phase {
        /** The next step lists, or streams the initial state. */
        LIST,
        /** The next step opens a watch at the last version. */
        OPEN,
        /** A watch is open. */
        WATCH,
        /** The next step asks whether the server knows the last version at all, as a watch from the future would just wait. */
        PROBE
    }

    private final ListerWatcher<T> source;
    private final @Nullable Class<T> expectedType;
    private final DeltaFifo<T> fifo;
    private final InformerOptions options;
    private final Clock clock;
    private final ReflectorMetrics metrics;
    private final Signal signal = new Signal();
    private final RandomGenerator random;
    private final Backoff backoff;
    private final Lister<T> lister;

    private Phase phase = Phase.LIST;
    private String relistCause = "";
    private long notBefore;
    private boolean streaming;
    /** The initial state while it is streamed, else null. */
    private @Nullable Map<ObjectKey, T> initial;
    private int streamingFailures;
    private long opened;
    private long lastHeard;
    private long bytesCounted;
    private boolean wakes;
    private int silences;
    private boolean progressed = true;
    private final List<Delta<T>> batch = new ArrayList<>();
    private String batchVersion = "";

    private volatile @Nullable WatchStream<T> stream;
    private volatile boolean closed;
    private volatile String lastVersion = "";
    private volatile @Nullable Instant lastEvent;
    private volatile @Nullable String lastError;
    private volatile long relists;
    private volatile long watches;

    /** @param expectedType the class that objects have to be of; null to take whatever comes */
    Reflector(ListerWatcher<T> source, @Nullable Class<T> expectedType, DeltaFifo<T> fifo, InformerOptions options,
            Clock clock, ReflectorMetrics metrics) {
        this.source = source;
        this.expectedType = expectedType;
        this.fifo = fifo;
        this.options = options;
        this.clock = clock;
        this.metrics = metrics;
        this.random = options.seed() == null ? new SplittableRandom() : new SplittableRandom(options.seed());
        this.backoff = new Backoff(Duration.ofMillis(800), Duration.ofSeconds(30), 2, 1, Duration.ofMinutes(2), clock,
                random);
        this.notBefore = clock.nanoTime();
        this.streaming = options.watchList();
        this.lister = new Lister<>(source, options.pageSize(), options.freshStart());
    }

    @Override
    public long step() throws InterruptedException {
        if (closed) {
            return IDLE;
        }
        long wait = notBefore - clock.nanoTime();
        if (wait > 0) {
            return wait;
        }
        try {
            return switch (phase) {
                case LIST -> streaming ? open() : list();
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
        if (!lister.inProgress()) {
            lister.begin(lastVersion, clock.nanoTime());
        }
        if (!lister.nextPage()) {
            return BUSY;
        }
        List<T> objects = new ArrayList<>(lister.items().size());
        for (T object : lister.items()) {
            if (accept(object)) {
                objects.add(object);
            }
        }
        report(lister.skipped());
        replaced(objects, Lister.keys(lister.skipped()), lister.version());
        metrics.listed(since(lister.began()), objects.size(), true);
        lister.end();
        phase = Phase.OPEN;
        return BUSY;
    }

    private void replaced(List<T> objects, Set<ObjectKey> undecodable, String version) {
        fifo.replace(objects, undecodable, version);
        lastVersion = version;
        heard();
        lastError = null;
        log.debug("{}: {} objects at version {}", this, objects.size(), version);
    }

    private long relist(String cause) {
        relists++;
        relistCause = cause;
        metrics.relisted(cause);
        phase = Phase.LIST;
        lister.end();
        log.info("{}: listing again after version {}: {}", this, lastVersion, cause);
        if (progressed) {
            progressed = false;
            return BUSY;
        }
        // The list before this one did not help: a server that answers every watch so is not asked without end.
        return pause(null);
    }

    /** Asks for one object not older than the last version: a server that was set back says so, where a watch would wait. */
    private long probe() throws InterruptedException {
        lister.probe(lastVersion);
        phase = Phase.OPEN;
        return BUSY;
    }

    // ---- watch

    private long open() throws InterruptedException {
        boolean initialState = phase == Phase.LIST;
        Duration timeout = options.watchTimeout().plusMillis(
                (long) (options.watchTimeout().toMillis() * random.nextDouble()));
        opened = clock.nanoTime();
        WatchStream<T> opening = source.watch(
                new WatchOptions(initialState ? lister.watchVersion(lastVersion) : lastVersion, initialState, timeout));
        stream = opening;
        if (closed) {
            opening.close();
            return IDLE;
        }
        wakes = opening.onReady(signal::raise);
        initial = initialState ? new LinkedHashMap<>() : null;
        bytesCounted = 0;
        watches++;
        metrics.watchStarted();
        lastHeard = clock.nanoTime();
        if (silences == 0 && !initialState) {
            lastError = null;
        }
        phase = Phase.WATCH;
        return BUSY;
    }

    private long read() throws InterruptedException {
        WatchStream<T> reading = stream;
        if (reading == null) {
            phase = Phase.OPEN;
            return BUSY;
        }
        long left = untilSilent();
        int events = 0;
        try {
            WatchEvent<T> event = reading.next(Duration.ofNanos(Math.max(0, left)));
            while (event != null) {
                events++;
                take(event);
                event = events < options.batch() ? reading.next(Duration.ZERO) : null;
            }
        } finally {
            flush();
            long bytes = reading.bytesRead();
            metrics.bytesRead(bytes - bytesCounted);
            bytesCounted = bytes;
        }
        if (events > 0) {
            metrics.events(events);
            heard();
            return initial != null && untilSilent() <= 0 ? silent() : BUSY;
        }
        if (closed) {
            return IDLE;
        }
        if (reading.isEnded()) {
            return ended();
        }
        left = untilSilent();
        return left > 0 ? left : silent();
    }

    /** Initial events have to come quickly one after the other, and all of them within six times that time. */
    private long untilSilent() {
        long now = clock.nanoTime();
        if (initial == null) {
            return lastHeard + options.silenceDeadline().toNanos() - now;
        }
        long deadline = options.watchListDeadline().toNanos();
        return Math.min(lastHeard + deadline, opened + 6 * deadline) - now;
    }

    private void take(WatchEvent<T> event) {
        switch (event) {
            case WatchEvent.Added<T> added -> changed(Delta.Type.ADDED, added.object());
            case WatchEvent.Modified<T> modified -> changed(Delta.Type.UPDATED, modified.object());
            case WatchEvent.Deleted<T> deleted -> changed(Delta.Type.DELETED, deleted.object());
            case WatchEvent.Bookmark<T> bookmark -> bookmark(bookmark);
            case WatchEvent.Undecodable<T> undecodable -> undecodable(undecodable);
            case WatchEvent.Failed<T> failed -> throw failed.error();
        }
    }

    private void changed(Delta.Type type, T object) {
        if (!accept(object)) {
            return;
        }
        ObjectKey key = ObjectKey.of(object);
        Map<ObjectKey, T> streamed = initial;
        if (streamed != null) {
            if (type == Delta.Type.DELETED) {
                streamed.remove(key);
            } else {
                streamed.put(key, object);
            }
            return;
        }
        String version = object.getMetadata().getResourceVersion();
        if (version != null) {
            batchVersion = version;
        }
        batch.add(new Delta<>(type, key, object));
    }

    private void bookmark(WatchEvent.Bookmark<T> bookmark) {
        Map<ObjectKey, T> streamed = initial;
        if (streamed == null) {
            batchVersion = bookmark.resourceVersion();
        } else if (bookmark.initialEventsEnd()) {
            initial = null;
            streamingFailures = 0;
            lister.succeeded();
            replaced(new ArrayList<>(streamed.values()), Set.of(), bookmark.resourceVersion());
            metrics.listed(since(opened), streamed.size(), true);
        }
    }

    private void undecodable(WatchEvent.Undecodable<T> event) {
        report(List.of(event.failure()));
        ObjectKey key = event.failure().key();
        if (event.deleted() && key != null && initial == null) {
            batch.add(new Delta<>(Delta.Type.DELETED, key, null));
        }
    }

    private void flush() {
        if (!batch.isEmpty() || !batchVersion.isEmpty()) {
            if (!batchVersion.isEmpty()) {
                lastVersion = batchVersion;
            }
            fifo.add(batch, batchVersion);
            batch.clear();
            batchVersion = "";
            heard();
            progressed = true;
            silences = 0;
            lastError = null;
        }
    }

    private void heard() {
        lastHeard = clock.nanoTime();
        lastEvent = clock.now();
    }

    private boolean accept(T object) {
        Object actual = object;
        if (expectedType == null || expectedType.isInstance(actual)) {
            return true;
        }
        report(List.of(new DecodeFailure(source.type().groupResource(), "",
                "expected " + expectedType.getName() + ", got " + actual.getClass().getName())));
        return false;
    }

    private void report(List<DecodeFailure> failures) {
        if (!failures.isEmpty()) {
            metrics.decodeErrors(failures.size());
            failures.forEach(f -> log.warn("{}: skipped an object: {}", this, f));
        }
    }

    // ---- how a watch ends

    private long ended() {
        boolean brief = clock.nanoTime() - opened < 1_000_000_000L && lastHeard - opened == 0;
        boolean unfinished = initial != null;
        close("ended");
        if (unfinished) {
            return streamingFailed("the server ended the watch before the initial events ended");
        }
        phase = Phase.OPEN;
        return brief ? pause(null) : BUSY;
    }

    private long silent() {
        if (initial != null) {
            close("silence");
            return streamingRefused("the end of the initial events did not come within " + options.watchListDeadline());
        }
        close("silence");
        silences++;
        lastError = "watch " + source.type() + ": nothing came for " + options.silenceDeadline()
                + ", not even a bookmark; the watch is opened again";
        log.info("{}: {}", this, lastError);
        phase = silences > 1 ? Phase.PROBE : Phase.OPEN;
        return BUSY;
    }

    private long streamingFailed(String why) {
        lister.restart();
        phase = Phase.LIST;
        if (++streamingFailures < 3) {
            return pause(null);
        }
        return streamingRefused(why);
    }

    private long streamingRefused(String why) {
        log.info("{}: the initial state is listed instead of streamed: {}", this, why);
        streaming = false;
        phase = Phase.LIST;
        return BUSY;
    }

    private void close(String cause) {
        WatchStream<T> ending = stream;
        stream = null;
        initial = null;
        if (ending != null) {
            ending.close();
            metrics.watchEnded(cause, since(opened));
        }
    }

    private long failed(ApiError e) {
        boolean watching = phase == Phase.OPEN || phase == Phase.WATCH && initial == null;
        boolean initialState = phase == Phase.LIST && streaming || initial != null;
        boolean opening = stream == null;
        lastError = Explanations.of(e, opening && !watching && !initialState ? "list" : "watch", source.type(),
                source.namespace());
        close(e.isExpired() ? "expired" : e.isTooManyRequests() ? "throttled" : "error");
        if (initialState) {
            return initialStateFailed(e);
        }
        if (watching) {
            return watchFailed(e, opening);
        }
        return phase == Phase.PROBE ? probeFailed(e) : listFailed(e);
    }

    private long initialStateFailed(ApiError e) {
        phase = Phase.LIST;
        if (e.isExpired() || e.isTooLargeResourceVersion()) {
            return lister.versionUnavailable() ? BUSY : pause(e);
        }
        if (e.code() == 400 || e.isForbidden() || e.isInvalid()) {
            return streamingRefused(String.valueOf(e.getMessage()));
        }
        log.info("{}: {}", this, lastError);
        if (e.code() == 0 && ++streamingFailures >= 3) {
            streaming = false;
        }
        return pause(e);
    }

    private long listFailed(ApiError e) {
        metrics.listed(since(lister.began()), 0, false);
        if (lister.fallsBackAfter(e)) {
            log.info("{}: {}; listing by a consistent read", this, e.getMessage());
            return BUSY;
        }
        log.warn("{}: {}", this, lastError);
        return pause(e);
    }

    private long watchFailed(ApiError e, boolean opening) {
        phase = Phase.OPEN;
        if (e.isExpired()) {
            return relist("expired");
        }
        if (e.isTooLargeResourceVersion()) {
            return relist("too large resource version");
        }
        log.info("{}: {}", this, lastError);
        if (e.code() == 400 || e.isInvalid()) {
            lister.versionUnavailable();
            relist("refused");
        } else if (e.isNotFound()) {
            relist("not found");
        } else if (e.code() == 0 && opening) {
            // The server was away: perhaps it came back as another one.
            phase = Phase.PROBE;
        }
        return pause(e);
    }

    private long probeFailed(ApiError e) {
        if (e.isExpired() || e.isTooLargeResourceVersion()) {
            lister.versionUnavailable();
            return relist("the server does not know the last version");
        }
        log.info("{}: {}", this, lastError);
        return pause(e);
    }

    private long pause(@Nullable ApiError e) {
        Duration delay = backoff.next();
        if (e != null && e.retryAfter() != null && e.retryAfter().compareTo(delay) > 0) {
            delay = e.retryAfter();
        }
        notBefore = clock.deadline(delay);
        return Math.max(1, delay.toNanos());
    }

    private Duration since(long nanoTime) {
        return Duration.ofNanos(clock.nanoTime() - nanoTime);
    }

    // ---- loop and state

    @Override
    public void await(long nanos) throws InterruptedException {
        if (!closed) {
            // A stream that neither waits nor wakes is looked at from time to time.
            signal.await(phase == Phase.WATCH && !wakes ? Math.min(nanos, POLL_NANOS) : nanos);
        }
        if (closed) {
            throw new InterruptedException("the reflector of " + source.type() + " was closed");
        }
    }

    @Override
    public void close() {
        closed = true;
        WatchStream<T> ending = stream;
        if (ending != null) {
            ending.close();
        }
        signal.raise();
    }

    /** When it last heard from the server, or null. */
    @Nullable
    Instant lastEvent() {
        return lastEvent;
    }

    /** Why the last list or watch failed; null after a success. */
    @Nullable
    String lastError() {
        return lastError;
    }

    long relists() {
        return relists;
    }

    /** Why it listed last, after the first list; empty if it did not. */
    String relistCause() {
        return relistCause;
    }

    long watchRestarts() {
        return Math.max(0, watches - 1);
    }

    @Override
    public String toString() {
        return "reflector of " + source.type() + (source.namespace().isEmpty() ? "" : " in " + source.namespace());
    }
}
