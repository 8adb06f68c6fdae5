package dev.wheelhouse.spring.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.extended.controller.Controller;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;

import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.controller.Outage;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.Worker;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * Runs a reconciler of the official client on this project's queue and workers. A request that fails or throws is
 * retried with backoff until it succeeds. {@link #start} returns at once; {@link #run} blocks until {@link #shutdown},
 * as the official interface demands. Thread safe.
 */
public final class ReconcilerController implements Controller {
    private static final Logger log = LoggerFactory.getLogger(ReconcilerController.class);
    private static final long LOOK_AGAIN_NANOS = 20_000_000;
    private static final Duration GRACE = Duration.ofSeconds(2);

    private final String name;
    private final WorkQueue<Request> queue;
    private final List<BooleanSupplier> ready;
    private final List<Loop> workers = new ArrayList<>();
    private final LoopRunner runner;
    private final CountDownLatch ended = new CountDownLatch(1);
    private boolean started;

    ReconcilerController(String name, Reconciler reconciler, WorkQueue<Request> queue, int workers,
            List<BooleanSupplier> ready, Clock clock, ControllerMetrics metrics) {
        this.name = name;
        this.queue = queue;
        this.ready = List.copyOf(ready);
        this.runner = new LoopRunner(name, clock);
        Outage<Request> outage = new Outage<>(queue, clock);
        for (int i = 0; i < Math.max(1, workers); i++) {
            this.workers
                    .add(new WhenReady(
                            new Worker<>(name, queue, outage, request -> reconcile(reconciler, request), clock,
                                    metrics)));
        }
    }

    private static Result reconcile(Reconciler reconciler, Request request) {
        io.kubernetes.client.extended.controller.reconciler.Result result = reconciler.reconcile(request);
        if (result == null || !result.isRequeue()) {
            return Result.done();
        }
        return result.getRequeueAfter() == null || result.getRequeueAfter().isZero()
                ? Result.retry(new IllegalStateException("the reconciler asked for another try"))
                : Result.requeueAfter(result.getRequeueAfter());
    }

    /** A worker that first waits until the caches have synced and the reconciler's ready functions return true. */
    private final class WhenReady implements Loop {
        private final Worker<Request> worker;
        private boolean waited;

        WhenReady(Worker<Request> worker) {
            this.worker = worker;
        }

        @Override
        public long step() throws InterruptedException {
            if (!waited) {
                if (!ready.stream().allMatch(BooleanSupplier::getAsBoolean)) {
                    return LOOK_AGAIN_NANOS;
                }
                waited = true;
            }
            return worker.step();
        }

        @Override
        public void await(long nanos) throws InterruptedException {
            if (waited) {
                worker.await(nanos);
            } else {
                java.util.concurrent.TimeUnit.NANOSECONDS.sleep(Math.min(nanos, LOOK_AGAIN_NANOS));
            }
        }

        @Override
        public void close() {
            worker.close();
        }

        @Override
        public String toString() {
            return "worker of " + name;
        }
    }

    public String name() {
        return name;
    }

    /** Gives each worker a thread, once. */
    public synchronized void start() {
        if (!started) {
            started = true;
            log.info("{}: reconciling with {} workers", name, workers.size());
            for (int i = 0; i < workers.size(); i++) {
                runner.start(name + " " + i, workers.get(i));
            }
        }
    }

    @Override
    public void run() {
        start();
        try {
            ended.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            shutdown();
        }
    }

    @Override
    public void shutdown() {
        queue.shutDown();
        workers.forEach(Loop::close);
        drain();
        runner.close();
        ended.countDown();
    }

    /** Lets reconciliations in progress finish, for up to two seconds. */
    private void drain() {
        try {
            if (!queue.awaitIdle(GRACE)) {
                log.warn("{}: reconciliations have not ended within {} s and are interrupted", name, GRACE.toSeconds());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
