package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.common.KubernetesObject;
import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.LastApplied;
import dev.wheelhouse.client.ListerWatcher;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Durations;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.runtime.Signal;

/**
 * The informer of one resource type (upstream: {@code sharedIndexInformer} in client-go
 * {@code tools/cache/shared_informer.go}). A {@link Reflector} fills a {@link DeltaFifo}. The informer loop pops it,
 * updates the Indexer and passes notifications to the {@link SharedProcessor}, which has one {@link ProcessorListener}
 * per handler. Thread safe.
 */
final class CachingInformer<T extends KubernetesObject> implements SharedIndexInformer<T> {
    private static final Logger log = LoggerFactory.getLogger(CachingInformer.class);
    /** The shortest resync period of a handler (upstream: {@code minimumResyncPeriod}). */
    private static final Duration SHORTEST_RESYNC = Duration.ofSeconds(1);

    private final TransformingSource<T> source;
    private final InformerOptions options;
    private final Clock clock;
    private final InformerMeters meters;
    private final Signal signal = new Signal();
    private final DeltaFifo<T> fifo = new DeltaFifo<>(signal, this::added);
    private final Reflector<T> reflector;
    private final ThreadSafeStore<T> indexer;
    private final SharedProcessor<T> processor = new SharedProcessor<>();
    private final Signal promptSignal = new Signal();
    private final List<Consumer<String>> onReplaced = new CopyOnWriteArrayList<>();
    private final PromptListeners prompt = new PromptListeners(promptSignal);
    private boolean promptStarted;
    /** The resync period of handlers that name none. */
    private final Duration resync;
    private final InformerLoop loop = new InformerLoop();
    private final @Nullable MutationDetector<T> detector;
    private final CacheUpdates<T> cache;
    /**
     * Guards the cache and the distribution of its changes. A handler that is added later is registered between two
     * changes.
     */
    private final Object blockDeltas = new Object();

    private @Nullable LoopRunner runner;
    private volatile long started;
    private final CompletableFuture<Void> synced = new CompletableFuture<>();
    private volatile boolean closed;
    private volatile String version = "";

    /** An informer of whole objects. */
    CachingInformer(ListerWatcher<T> source, @Nullable Class<T> expectedType, InformerOptions options, Clock clock,
            MeterRegistry registry) {
        this(source, expectedType, options, clock,
                new InformerMeters(registry, clock, InformerMeters.tags(source, false)));
    }

    /** @param expectedType the class of the objects; objects of another class are skipped. Null accepts any class. */
    CachingInformer(ListerWatcher<T> source, @Nullable Class<T> expectedType, InformerOptions options, Clock clock,
            InformerMeters meters) {
        this.options = options;
        this.clock = clock;
        this.meters = meters;
        this.indexer = new ThreadSafeStore<>(Map.of(Indexer.NAMESPACE_INDEX, CachingInformer::namespaceOf));
        this.source = new TransformingSource<>(source, indexer::get,
                options.dropLastApplied() ? LastApplied::leaveOut : null);
        this.reflector = new Reflector<>(this.source, expectedType, fifo, options, clock, meters);
        this.detector = options.detectMutations() ? new MutationDetector<>(source.type().groupResource()) : null;
        this.cache = new CacheUpdates<>(indexer, detector);
        SplittableRandom random = options.seed() == null
                ? new SplittableRandom()
                : new SplittableRandom(options.seed());
        long least = Durations.saturatedNanos(options.minResync());
        this.resync = Duration.ofNanos(least + (least == 0 ? 0 : random.nextLong(least)));
        this.started = clock.nanoTime();
        meters.made(this::state);
    }

    private static Collection<String> namespaceOf(KubernetesObject object) {
        String namespace = object.getMetadata().getNamespace();
        return List.of(namespace == null ? "" : namespace);
    }

    // ---- the informer loop

    private final class InformerLoop implements Loop {
        /** Held by the thread that handles changes: the loop's own, or that of the Reflector. */
        private final ReentrantLock turn = new ReentrantLock();
        /** Whether a thread of its own drives this loop; false where a test steps it. */
        private volatile boolean driven;
        private @Nullable Iterator<Delta<T>> deltas;
        private String deltasVersion = "";

        @Override
        public long step() {
            if (closed) {
                return IDLE;
            }
            turn.lock();
            try {
                if (processNext()) {
                    return BUSY;
                }
            } finally {
                turn.unlock();
            }
            if (detector != null) {
                detector.check("");
            }
            return synced.isDone() ? processor.untilResync(clock.nanoTime()) : IDLE;
        }

        private boolean processNext() {
            long began = clock.nanoTime();
            boolean processed = processLoop();
            if (processed) {
                meters.processed(clock.nanoTime() - began);
            }
            return processed;
        }

        /**
         * Handles the waiting changes on the calling thread.
         * @return false if the loop's own thread has to handle them
         */
        private boolean processHere() {
            if (!driven || closed || detector != null || !turn.tryLock()) {
                return false;
            }
            try {
                while (processNext()) {
                }
                return true;
            } catch (RuntimeException | Error e) {
                log.error("the {} failed on a change; it continues with the next one", this, e);
                return false;
            } finally {
                turn.unlock();
            }
        }

        /**
         * Handles the next batch.
         * @return whether there was one
         */
        private boolean processLoop() {
            if (synced.isDone() && processor.resyncDue(clock.nanoTime())) {
                fifo.resync();
            }
            if (deltas != null) {
                handleSome(deltas);
                return true;
            }
            switch (fifo.pop()) {
                case null -> {
                    return false;
                }
                case DeltaFifo.Deltas<T> popped -> {
                    deltas = popped.deltas().iterator();
                    deltasVersion = popped.version();
                    handleSome(deltas);
                }
                case DeltaFifo.Replaced<T> replaced -> handleReplaced(replaced);
                case DeltaFifo.Sync<T> sync -> handleSync();
                case DeltaFifo.Mark<T> mark -> mark.actions().forEach(Runnable::run);
            }
            return true;
        }

        private void handleSome(Iterator<Delta<T>> waiting) {
            List<Notification<T>> notifications = new ArrayList<>();
            synchronized (blockDeltas) {
                for (int i = 0; i < options.batch() && waiting.hasNext(); i++) {
                    cache.handleDelta(waiting.next(), notifications);
                }
                if (!waiting.hasNext()) {
                    deltas = null;
                    if (!deltasVersion.isEmpty()) {
                        version = deltasVersion;
                    }
                }
                processor.distribute(notifications);
            }
        }

        @Override
        public void await(long nanos) throws InterruptedException {
            if (!closed) {
                signal.await(nanos);
            }
            if (closed) {
                throw new InterruptedException("the informer of " + source.type() + " was closed");
            }
        }

        @Override
        public void close() {
            CachingInformer.this.close();
        }

        @Override
        public String toString() {
            return "informer of " + source.type();
        }
    }

    /**
     * Called when the Reflector has appended deltas. The Reflector's thread handles them at once if it can, because
     * waking another thread for each event would cost more than the event.
     */
    private void added() {
        if (!loop.processHere()) {
            signal.raise();
        }
    }

    private void handleReplaced(DeltaFifo.Replaced<T> replaced) {
        List<Notification<T>> notifications = new ArrayList<>();
        boolean first;
        String before = version;
        synchronized (blockDeltas) {
            first = !synced.isDone();
            cache.replace(replaced, first, notifications);
            version = replaced.version();
            processor.distribute(notifications);
            synced.complete(null);
        }
        onReplaced.forEach(action -> action.accept(before));
        if (first) {
            meters.synced(clock.nanoTime() - started);
        }
    }

    private void handleSync() {
        List<Notification<T>> notifications = new ArrayList<>();
        synchronized (blockDeltas) {
            for (T object : indexer.list()) {
                notifications.add(new Notification.Update<>(object, object));
            }
            processor.distributeResync(notifications);
        }
    }

    // ---- registration

    @Override
    public Registration addEventHandler(ResourceEventHandler<T> handler, @Nullable Duration resyncPeriod) {
        if (resyncPeriod != null && resyncPeriod.isNegative()) {
            throw new IllegalArgumentException("the resync period " + resyncPeriod
                    + " is negative: use zero for no resync");
        }
        ProcessorListener<T> listener;
        synchronized (blockDeltas) {
            if (closed) {
                throw new IllegalStateException(
                        "cannot add a handler: the informer of " + source.type() + " was stopped");
            }
            if (handler instanceof PromptHandler<T>(ResourceEventHandler<T> inner)) {
                listener = listener(inner, resyncPeriod, promptSignal);
                prompt.add(listener);
            } else {
                listener = listener(handler, resyncPeriod, new Signal());
            }
            List<Notification<T>> adds = new ArrayList<>();
            for (T object : indexer.list()) {
                adds.add(new Notification.Add<>(object, true));
            }
            listener.add(adds);
            processor.add(listener);
            CompletableFuture<Void> unused = synced.thenRun(listener.tracker()::finished);
            if (runner != null) {
                run(runner, listener);
            }
        }
        signal.raise();
        return new Registration() {
            @Override
            public boolean hasSynced() {
                return listener.tracker().hasSynced();
            }

            @Override
            public void whenSynced(Runnable action) {
                listener.tracker().whenSynced(action);
            }

            @Override
            public void remove() {
                processor.remove(listener);
            }
        };
    }

    private ProcessorListener<T> listener(ResourceEventHandler<T> handler, @Nullable Duration resyncPeriod,
            Signal wakes) {
        Duration period = resyncPeriod == null ? resync : resyncPeriod;
        if (period.isPositive() && period.compareTo(SHORTEST_RESYNC) < 0) {
            log.warn("the {}: the resync period {} of a handler is too short; {} counts instead", this, period,
                    SHORTEST_RESYNC);
            period = SHORTEST_RESYNC;
        }
        return new ProcessorListener<>(source.type(), handler, period, options.pendingBound(),
                new SyncTracker(), wakes, clock, meters);
    }

    @Override
    public void setTransform(UnaryOperator<T> transform) {
        synchronized (blockDeltas) {
            requireNotStarted("the transform");
            source.transformBy(transform);
        }
    }

    @Override
    public void setWatchErrorHandler(Consumer<? super KubeApiException> handler) {
        synchronized (blockDeltas) {
            requireNotStarted("the handler of watch errors");
            reflector.tellErrorsTo(handler);
        }
    }

    private void requireNotStarted(String set) {
        if (runner != null || synced.isDone()) {
            throw new IllegalStateException("cannot set " + set + " of the informer of " + source.type()
                    + ": the informer has started; set it before the start");
        }
    }

    @Override
    public boolean isStopped() {
        return closed;
    }

    /** Whether a user's function may have removed a part of the objects. */
    boolean isTransformed() {
        return source.isTransformed();
    }

    // ---- start and stop

    /** Gives each loop a thread. Further calls do nothing. A handler that is added later gets its thread at once. */
    void start(LoopRunner with) {
        synchronized (blockDeltas) {
            if (runner != null || closed) {
                return;
            }
            runner = with;
            started = clock.nanoTime();
            if (with.givesThreads()) {
                reflector.drive();
                loop.driven = true;
            }
            String name = name();
            with.start("reflector " + name, reflector);
            with.start("informer " + name, loop);
            processor.listeners().forEach(listener -> run(with, listener));
        }
    }

    private void run(LoopRunner with, ProcessorListener<T> listener) {
        if (!prompt.has(listener)) {
            with.startOnPlatformThread("handler " + name() + " " + listener.name(), listener);
        } else if (!promptStarted) {
            promptStarted = true;
            if (source.namespace().isEmpty()) {
                with.startOnPlatformThread("handlers " + name(), prompt);
            } else {
                // There may be thousands of namespaces.
                with.start("handlers " + name(), prompt);
            }
        }
    }

    private String name() {
        return source.type() + (source.namespace().isEmpty() ? "" : " " + source.namespace());
    }

    /** The loops that exist now, listeners included, for a caller that steps them by hand. */
    List<Loop> loops() {
        List<Loop> loops = new ArrayList<>();
        loops.add(reflector);
        loops.add(loop);
        loops.addAll(processor.listeners());
        return loops;
    }

    void close() {
        synchronized (blockDeltas) {
            if (closed) {
                return;
            }
            closed = true;
        }
        reflector.close();
        processor.close();
        prompt.close();
        signal.raise();
        meters.stopped();
    }

    @Override
    public void checkUnchanged(String who) {
        if (detector != null) {
            detector.check(who);
        }
    }

    /** @throws IllegalStateException if mutation detection is on and found a cached object that was changed */
    void verifyUnchanged() {
        if (detector != null) {
            detector.verify();
        }
    }

    // ---- state

    @Override
    public ResourceType type() {
        return source.type();
    }

    @Override
    public Indexer<T> getIndexer() {
        return indexer;
    }

    @Override
    public boolean hasSynced() {
        return synced.isDone();
    }

    @Override
    public void whenSynced(Runnable action) {
        CompletableFuture<Void> unused = synced.thenRun(action);
    }

    /** Whether the cache has held nothing yet, because the server forbids it. The informer tries again. */
    boolean isForbidden() {
        return reflector.forbidden().isDone() && !synced.isDone();
    }

    /** Calls an action once, as soon as the server forbids a list or a watch: at once if it has. */
    void whenForbidden(Runnable action) {
        CompletableFuture<Void> unused = reflector.forbidden().thenRun(action);
    }

    @Override
    public void whenFresh(long since, Runnable action) {
        reflector.refresh(since, action);
    }

    @Override
    public String resourceVersion() {
        return version;
    }

    @Override
    public void onUnreadable(Runnable action) {
        reflector.status().onUnreadable(action);
    }

    @Override
    public void onReplaced(Consumer<String> action) {
        onReplaced.add(action);
    }

    @Override
    public InformerState state() {
        ReflectorStatus status = reflector.status();
        return new InformerState(source.type(), source.namespace(), source.selector(), synced.isDone(), indexer.size(),
                version,
                status.lastEvent(), status.failure(), status.counts(fifo.size()),
                processor.listeners().stream().map(ProcessorListener::state).toList());
    }

    @Override
    public String toString() {
        return "informer of " + name();
    }
}
