package dev.wheelhouse.scheduler;

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

    /** @param pod the pod's state when the decision was made */
    record Write(V1Pod pod, ScheduleResult decision) {}

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

    /** Queues a failed write again, unless there is a newer one. */
    void again(ObjectKey key, Write write) {
        writes.putIfAbsent(key, write);
        queue.addRateLimited(key);
    }
}
