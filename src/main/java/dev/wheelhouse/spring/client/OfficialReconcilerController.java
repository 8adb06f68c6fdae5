package dev.wheelhouse.spring.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.ApiException;

import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.OutageBackoff;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.Worker;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * Runs a reconciler of the official client on this project's queue and workers. A request that fails or throws is
 * retried with backoff until it succeeds; an error of the API server that it throws on is logged in one line, as those
 * of operators are. The reconciler's writes pass only while the process leads
 * ({@link WriteFence}).
 */
final class OfficialReconcilerController implements Controller {
    private static final Duration NOT_READY_YET = Duration.ofMillis(100);

    private final String name;
    private final WorkQueue<Request> queue;
    private final List<SharedIndexInformer<?>> informers;
    private final List<Runnable> onClose = new ArrayList<>();
    private final List<Loop> loops = new ArrayList<>();

    /**
     * @param workers the number of workers that the reconciler wishes
     * @param informers the caches to wait for
     * @param ready the reconciler is not called before all of these are true
     */
    OfficialReconcilerController(String name, Reconciler reconciler, int workers,
            List<SharedIndexInformer<?>> informers,
            List<BooleanSupplier> ready, ControllerContext context) {
        this.name = name;
        this.queue = context.queue(name);
        this.informers = List.copyOf(informers);
        OutageBackoff<Request> outage = new OutageBackoff<>(queue, context.clock());
        ControllerContext own = context.of(name);
        for (int i = 0; i < own.workers(Math.max(1, workers)); i++) {
            loops.add(new Worker<>(name, queue, outage,
                    request -> ready.stream().allMatch(BooleanSupplier::getAsBoolean) ? Duration.ZERO : NOT_READY_YET,
                    request -> WriteFence.within(own::mayWrite, () -> reconcile(reconciler, request)), context.clock(),
                    context.metrics()));
        }
    }

    private static Result reconcile(Reconciler reconciler, Request request) {
        io.kubernetes.client.extended.controller.reconciler.Result result;
        try {
            result = reconciler.reconcile(request);
        } catch (RuntimeException e) {
            throw e.getCause() instanceof ApiException refused ? OfficialSource.error("a request", refused) : e;
        }
        if (result == null || !result.isRequeue()) {
            return Result.done();
        }
        return result.getRequeueAfter() == null || !result.getRequeueAfter().isPositive()
                ? Result.requeue()
                : Result.requeueAfter(result.getRequeueAfter());
    }

    /** The queue of requests, for handlers and further loops. */
    WorkQueue<Request> queue() {
        return queue;
    }

    /** Adds a loop beside the workers. */
    void add(Loop loop) {
        loops.add(loop);
    }

    void onClose(Runnable action) {
        onClose.add(action);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<SharedIndexInformer<?>> informers() {
        return informers;
    }

    @Override
    public List<Loop> loops() {
        return List.copyOf(loops);
    }

    @Override
    public void close() {
        onClose.forEach(Runnable::run);
        queue.shutDown();
        loops.forEach(Loop::close);
    }

    @Override
    public boolean drain(Duration within) throws InterruptedException {
        return queue.awaitIdle(within);
    }
}
