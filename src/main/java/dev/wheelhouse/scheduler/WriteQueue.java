package dev.wheelhouse.scheduler;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.workqueue.WorkQueue;

/** The decisions to write: for each pod the latest. Thread safe. */
final class WriteQueue {
    private final WorkQueue<ObjectKey> queue;
    private final Map<ObjectKey, Write> writes = new ConcurrentHashMap<>();

    /**
     * @param pod the pod's state when the decision was made
     * @param volumesUntil the end of the wait for the pod's volumes, in nanoseconds of the clock; null before it begins
     */
    record Write(V1Pod pod, ScheduleResult decision, @Nullable Long volumesUntil) {
        Write(V1Pod pod, ScheduleResult decision) {
            this(pod, decision, null);
        }
    }

    WriteQueue(WorkQueue<ObjectKey> queue) {
        this.queue = queue;
    }

    WorkQueue<ObjectKey> queue() {
        return queue;
    }

    void put(ObjectKey key, Write write) {
        writes.put(key, write);
        queue.add(key);
    }

    /** Removes and returns the write for a key from the queue; null if there is none any more. */
    @Nullable
    Write take(ObjectKey key) {
        return writes.remove(key);
    }

    /** Queues a write that waits, unless there is a newer one. */
    void later(ObjectKey key, Write write, Duration delay) {
        writes.putIfAbsent(key, write);
        queue.addAfter(key, delay);
    }

    /** Looks at a write that waits, at once. */
    void wake(ObjectKey key) {
        if (writes.containsKey(key)) {
            queue.add(key);
        }
    }

    /** Queues a failed write again, unless there is a newer one. */
    void again(ObjectKey key, Write write) {
        writes.putIfAbsent(key, write);
        queue.addRateLimited(key);
    }
}
