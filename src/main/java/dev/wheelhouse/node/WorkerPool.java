package dev.wheelhouse.node;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.Signal;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * Takes keys from a work queue and has each dealt with by a task of its own: one task a key at a time, as the queue sees to it,
 * and a bounded number in all. So a key whose work hangs delays no other key, until the bound is reached; what hangs ends at the
 * deadline of the call that it waits for.
 */
final class WorkerPool implements Loop {
    private final WorkQueue<String> queue;
    private final Consumer<String> work;
    private final int bound;
    private final Executor executor;
    private final AtomicInteger running = new AtomicInteger();
    private final Signal ended = new Signal();

    /**
     * @param queue of keys; the pool owns it
     * @param work what is done for a key; it handles its own failures
     * @param bound how many keys are dealt with at once
     */
    WorkerPool(WorkQueue<String> queue, Consumer<String> work, int bound, Executor executor) {
        this.queue = queue;
        this.work = work;
        this.bound = bound;
        this.executor = executor;
    }

    @Override
    public long step() {
        if (running.get() >= bound) {
            return IDLE;
        }
        String key = queue.poll();
        if (key == null) {
            return queue.nanosToNextDue();
        }
        running.incrementAndGet();
        executor.execute(() -> work(key));
        return BUSY;
    }

    private void work(String key) {
        try {
            work.accept(key);
        } finally {
            queue.done(key);
            if (running.getAndDecrement() >= bound) {
                ended.raise();
            }
        }
    }

    @Override
    public void await(long nanos) throws InterruptedException {
        if (running.get() >= bound) {
            ended.await(nanos);
        } else {
            queue.awaitReady(nanos);
        }
    }

    @Override
    public void close() {
        queue.shutDown();
        ended.raise();
    }
}
