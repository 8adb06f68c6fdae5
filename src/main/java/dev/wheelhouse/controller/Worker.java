package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LogBudget;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.OutOfMemory;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * Takes keys from a queue, one per step, and syncs them. However a sync ends, even with null or an {@code Error}, the
 * key is released, the outcome is counted, and the key is queued again if necessary.
 *
 * @param <K> the keys
 */
public final class Worker<K> implements Loop {
    /** Shorter delays would make a key spin. */
    private static final Duration SHORTEST_DELAY = Duration.ofMillis(1);
    private static final Logger log = LoggerFactory.getLogger(Worker.class);
    private static final int LONGEST_MESSAGE = 1000;
    /** The keys of the logging context (MDC) that a sync sets. An operator's sync also sets the uid of its object. */
    private static final List<String> LOGGED = List.of("controller", "key", "attempt", "uid");

    /** Decides whether a key may be synced now. */
    @FunctionalInterface
    public interface Readiness<K> {
        /** How long to delay the key; zero to sync it now. */
        Duration delay(K key) throws InterruptedException;
    }

    private final String controller;
    private final WorkQueue<K> queue;
    private final OutageBackoff<K> outage;
    private final Readiness<? super K> readiness;
    private final Reconciler<? super K> reconciler;
    private final Clock clock;
    private final ControllerMetrics metrics;
    private volatile boolean closed;
    private volatile @Nullable RunningSync running;
    private final LogBudget stackTraces;
    private boolean saidThatZeroSpins;

    /** @param outage shared by all workers of the queue */
    public Worker(String controller, WorkQueue<K> queue, OutageBackoff<K> outage, Readiness<? super K> readiness,
            Reconciler<? super K> reconciler, Clock clock, ControllerMetrics metrics) {
        this.controller = controller;
        this.queue = queue;
        this.outage = outage;
        this.readiness = readiness;
        this.reconciler = reconciler;
        this.clock = clock;
        this.metrics = metrics;
        this.stackTraces = new LogBudget(clock);
    }

    /** A worker whose keys may always be synced. */
    public Worker(String controller, WorkQueue<K> queue, OutageBackoff<K> outage, Reconciler<? super K> reconciler,
            Clock clock, ControllerMetrics metrics) {
        this(controller, queue, outage, key -> Duration.ZERO, reconciler, clock, metrics);
    }

    @Override
    public long step() throws InterruptedException {
        if (closed) {
            return IDLE;
        }
        K key = queue.poll();
        if (key == null) {
            return queue.isShutDown() ? IDLE : queue.nanosToNextDue();
        }
        try {
            // Check again: the closing thread waits for the keys in processing, so no sync may begin after the close.
            if (!closed) {
                work(key);
            }
        } finally {
            queue.done(key);
        }
        return BUSY;
    }

    private void work(K key) throws InterruptedException {
        RunningSync sync = RunningSync.begin(controller, key, () -> queue.origin(key), clock);
        running = sync;
        MDC.put("controller", controller);
        MDC.put("key", sync.key());
        MDC.put("attempt", String.valueOf(queue.numRequeues(key) + 1));
        try {
            work(key, sync);
        } finally {
            running = null;
            sync.end();
            LOGGED.forEach(MDC::remove);
            if (sync.isReported()) {
                log.warn("{}: the sync of {} that seemed to block has ended after {} s", controller, key,
                        sync.age(clock.nanoTime()).toSeconds());
            }
        }
    }

    private void work(K key, RunningSync sync) throws InterruptedException {
        Result result;
        try {
            Duration delay = readiness.delay(key);
            if (!delay.isZero()) {
                queue.addAfter(key, delay);
                return;
            }
            sync.follow(metrics.begin(controller, key));
            result = orRetry(reconciler.reconcile(key));
        } catch (InterruptedException e) {
            if (closed) {
                queue.add(key);
                sync.trace().ended("retry", e);
                throw e;
            }
            result = Result.retry(e);
        } catch (Throwable e) {
            OutOfMemory.check(e);
            result = Result.retry(e);
        }
        if (!closed) {
            // An owner that ends this worker closes it first. Without a close, the sync interrupted its own thread, and
            // its failure would not be logged.
            Thread.interrupted();
        }
        sync.trace().ended(result.label(), result instanceof Result.Retry retry ? retry.cause() : null);
        finish(key, result, clock.nanoTime() - sync.began());
    }

    private static Result orRetry(@Nullable Result result) {
        return result != null ? result : Result.retry(new IllegalStateException("the sync returned null"));
    }

    private void finish(K key, Result result, long nanos) {
        schedule(key, result, nanos);
        if (result instanceof Result.Retry retry && retry.cause() instanceof KubeApiException e
                && e.isUnrelatedToObject()) {
            outage.notServed(key);
        } else {
            outage.served(key);
        }
    }

    private void schedule(K key, Result result, long nanos) {
        if (result instanceof Result.RequeueAfter after && after.delay().compareTo(SHORTEST_DELAY) < 0) {
            sayThatZeroSpins(key, after);
            schedule(key, Result.requeue(), nanos);
            return;
        }
        if (!(result instanceof Result.Retry || result instanceof Result.Terminal)) {
            outage.succeeded(key);
        }
        metrics.synced(controller, result.label(), nanos);
        switch (result) {
            case Result.Done done -> queue.succeeded(key, Duration.ZERO);
            case Result.Requeue requeue -> queue.addRateLimited(key);
            case Result.RequeueAfter after -> queue.succeeded(key, after.delay());
            case Result.Retry retry -> {
                Duration atLeast = retry.cause() instanceof KubeApiException e && e.retryAfter() != null
                        ? e.retryAfter()
                        : Duration.ZERO;
                queue.addRateLimited(key, atLeast);
                report(key, retry.cause());
            }
            case Result.Terminal terminal -> {
                queue.succeeded(key, Duration.ZERO);
                outage.failed(key, "it cannot be synced until it is changed: " + terminal.reason());
                log.warn("{}: {} cannot be synced until it is changed: {}", controller, key, terminal.reason());
            }
        }
    }

    private void sayThatZeroSpins(K key, Result.RequeueAfter after) {
        if (!saidThatZeroSpins && !after.delay().isPositive()) {
            saidThatZeroSpins = true;
            log.warn(
                    "{}: the sync of {} asks for another one after {}; such keys wait for the rate limiter's delay, so "
                            + "that they do not spin. Return requeue() to say so, or a longer delay",
                    controller, key,
                    after.delay());
        }
    }

    private void report(K key, Throwable cause) {
        if (Thread.currentThread().isInterrupted()) {
            log.debug("{}: the sync of {} was interrupted: {}", controller, key, cause.toString());
            return;
        }
        int failures = queue.numRequeues(key);
        boolean isNew = outage.failed(key,
                cause instanceof KubeApiException e ? String.valueOf(e.getMessage()) : cause.toString());
        if (cause instanceof KubeApiException e
                && (e.isConflict() || e.isUnreachable() || e.isNamespaceTerminating())) {
            log.debug("{}: {} is synced again (failure {} in a row): {}", controller, key, failures, shortened(e));
        } else if (cause instanceof KubeApiException e) {
            log.warn("{}: the sync of {} failed and is retried (failure {} in a row): {}", controller, key,
                    failures, shortened(e));
        } else if (isNew && stackTraces.line(cause.toString()) != null) {
            log.error("{}: the sync of {} failed and is retried (failure {} in a row)", controller, key, failures,
                    cause);
        } else {
            log.warn("{}: the sync of {} failed{} and is retried (failure {} in a row): {}", controller, key,
                    isNew ? "" : " again", failures, cause.toString());
        }
    }

    /** A refusal may list each right that is missing, in dozens of lines. */
    private static String shortened(KubeApiException e) {
        String message = String.valueOf(e.getMessage());
        return message.length() <= LONGEST_MESSAGE ? message : message.substring(0, LONGEST_MESSAGE) + "…";
    }

    /** A further worker of the same queue. */
    public Worker<K> another() {
        return new Worker<>(controller, queue, outage, readiness, reconciler, clock, metrics);
    }

    /** Lets another worker of the queue take the key that woke this one. Any thread may call it. */
    public void passOn() {
        queue.passOn();
    }

    /** The sync in progress; null if there is none. Any thread may ask. */
    public @Nullable RunningSync running() {
        return running;
    }

    /** The queue's failing keys, which are the same for all of its workers. Any thread may ask. */
    public OutageBackoff<K> outage() {
        return outage;
    }

    @Override
    public void await(long nanos) throws InterruptedException {
        if (!closed) {
            queue.awaitReady(nanos);
        }
        if (closed) {
            throw new InterruptedException("the worker of " + controller + " was closed");
        }
    }

    /** Ends this worker and shuts its queue down, because the workers of one queue start and end together. */
    @Override
    public void close() {
        closed = true;
        queue.shutDown();
    }
}
