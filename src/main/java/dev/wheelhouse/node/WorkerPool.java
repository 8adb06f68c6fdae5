package dev.wheelhouse.node;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.Signal;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * Takes keys from a work queue and runs one task per key. The queue ensures that a key has only one task at a time; the
 * number of tasks is bounded. A key whose task hangs delays no other key until the bound is reached. A hanging task
 * ends at the deadline of the call that it waits for.
 */
final class WorkerPool implements Loop {
    private final WorkQueue<String> queue;
    private final Consumer<String> work;
    private final int bound;
    private final Executor executor;
    private final AtomicInteger running = new AtomicInteger();
    private final Signal ended = new Signal();

    /**
     * @param queue a queue of keys that only this pool uses
     * @param work the work for a key; it handles its own failures
     * @param bound the maximum number of tasks at once
     * @param executor runs the tasks
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
