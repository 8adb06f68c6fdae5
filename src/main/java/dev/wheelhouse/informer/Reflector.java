package dev.wheelhouse.informer;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.client.ListerWatcher;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.Signal;

/**
 * Lists and watches one resource type, and appends the changes to a {@link DeltaFifo} (upstream: client-go
 * {@code tools/cache/reflector.go}; KEP-3157 for the streamed initial state). One step reads one page of a list, opens
 * a watch, or reads a batch of its events.
 *
 * <ul>
 * <li>It lists when it starts. It lists again at once if the server answers that the last version is gone (410), and
 * after a backoff if a watch fails otherwise, ends at once, or breaks twice before it brings something.
 * <li>A watch that ends, breaks or goes silent is opened again at the last version. So is one that is throttled (429)
 * or cannot connect, after a backoff.
 * <li>It reads consistently if somebody needs a state that is not older than a moment, see {@link Freshness}.
 * <li>It lists again, and reports a failure until a watch brings something, if two watches in a row go silent although
 * the server has a later version: such watches are open but dead.
 * <li>An object that cannot be decoded is logged, counted and skipped. If a watch brought it, the collection is listed
 * again after half a minute.
 * <li>If a relist is empty although the cache held objects, the collection is listed again by a consistent read after
 * half a minute, and while it stays empty after twice as long each time, up to an hour: a sick server may list nothing.
 * </ul>
 */
final class Reflector<T extends KubernetesObject> implements Loop {
    /** The interval at which a stream is polled that cannot signal its events. */
    static final long POLL_NANOS = 10_000_000;

    private final ListerWatcher<T> source;
    private final Freshness freshness;
    private final ReflectorSteps<T> steps;
    private final Signal signal = new Signal();
    /** Held by the thread that steps: the loop's own, or the one that brings the events of the open watch. */
    private final ReentrantLock turn = new ReentrantLock();
    /** Whether a thread of its own drives this loop; false where a test steps it. */
    private volatile boolean driven;

    /** @param expectedType the class of the objects; objects of another class are skipped. Null accepts any class. */
    Reflector(ListerWatcher<T> source, @Nullable Class<T> expectedType, DeltaFifo<T> fifo, InformerOptions options,
            Clock clock, InformerMeters meters) {
        this.source = source;
        this.freshness = new Freshness(fifo);
        this.steps = new ReflectorSteps<>(source, expectedType, fifo, options, clock, meters, freshness, this::ready);
    }

    /** Records that a thread drives this loop, so that other threads may step it, too. */
    void drive() {
        driven = true;
    }

    @Override
    public long step() throws InterruptedException {
        turn.lockInterruptibly();
        try {
            return steps.step(!driven);
        } finally {
            turn.unlock();
        }
    }

    /**
     * Called when the open watch has events, or has ended. The calling thread reads the events itself if the stream
     * allows it; this loop's own thread does everything else.
     */
    private void ready() {
        WatchSession<T> reading = steps.session();
        if (!driven || reading == null || !reading.lendsThread() || !turn.tryLock()) {
            signal.raise();
            return;
        }
        try {
            long wait = BUSY;
            while (wait == BUSY && steps.onlyReads()) {
                wait = steps.step(false);
            }
            if (!steps.onlyReads() || steps.hasDeadline()) {
                signal.raise();
            }
        } catch (InterruptedException e) {
            signal.raise();
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            // The stream may have ended, so that no further event wakes the loop.
            signal.raise();
            throw e;
        } finally {
            turn.unlock();
        }
    }

    /** Calls an action when the cache holds a state that the server had at a time or later. Any thread may call it. */
    void refresh(long since, Runnable action) {
        if (freshness.ask(since, action)) {
            WatchSession<T> reading = steps.session();
            if (reading != null) {
                // The loop may be waiting for its next event.
                reading.close();
            }
            signal.raise();
        }
    }

    @Override
    public void await(long nanos) throws InterruptedException {
        if (!steps.isClosed()) {
            // A stream that cannot signal readiness is polled.
            WatchSession<T> open = steps.session();
            signal.await(open != null && !open.wakes() ? Math.min(nanos, POLL_NANOS) : nanos);
        }
        if (steps.isClosed()) {
            throw new InterruptedException("the reflector of " + source.type() + " was closed");
        }
    }

    /** Completes when the server forbids a list or a watch for the first time. */
    CompletableFuture<Void> forbidden() {
        return steps.forbidden();
    }

    /** Sets the function that gets the error of each failed list and watch. */
    void tellErrorsTo(Consumer<? super KubeApiException> handler) {
        steps.tellErrorsTo(handler);
    }

    /** Lets the loop do a step. Any thread may call it. */
    void wake() {
        signal.raise();
    }

    @Override
    public void close() {
        steps.close();
        signal.raise();
    }

    ReflectorStatus status() {
        return steps.status();
    }

    @Override
    public String toString() {
        return steps.toString();
    }
}
