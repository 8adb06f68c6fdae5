package dev.wheelhouse.scheduler;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.workqueue.WorkQueue;

/** Decisions on their way to the API server: one for each pod, the latest. Thread safe. */
final class Writes {
    private final WorkQueue<ObjectKey> queue;
    private final Map<ObjectKey, Write> writes = new ConcurrentHashMap<>();

    /** @param pod as it was when it was decided on */
    record Write(V1Pod pod, Decision decision) {}

    Writes(WorkQueue<ObjectKey> queue) {
        this.queue = queue;
    }

    WorkQueue<ObjectKey> queue() {
        return queue;
    }

    void put(ObjectKey key, Write write) {
        writes.put(key, write);
        queue.add(key);
    }

    /** Takes the write of a key that came out of the queue; null if it has been taken before. */
    @Nullable
    Write take(ObjectKey key) {
        return writes.remove(key);
    }

    /** Puts a write that failed back, unless a newer one has come. */
    void again(ObjectKey key, Write write) {
        writes.putIfAbsent(key, write);
        queue.addRateLimited(key);
    }
}
