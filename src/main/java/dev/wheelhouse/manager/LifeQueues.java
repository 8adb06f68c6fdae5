package dev.wheelhouse.manager;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.workqueue.RateLimitingQueue;
import dev.wheelhouse.workqueue.RateLimits;
import dev.wheelhouse.workqueue.WorkQueue;

/** The queues of one life of a controller, so that a constructor that fails leaves none of them behind. */
final class LifeQueues implements ControllerContext.Queues {
    private final ControllerContext context;
    private final @Nullable RateLimits limits;
    private final List<WorkQueue<?>> queues = new CopyOnWriteArrayList<>();

    /** @param limits the limits of retries instead of those that the controller asks for; null for these */
    LifeQueues(ControllerContext context, @Nullable RateLimits limits) {
        this.context = context;
        this.limits = limits;
    }

    @Override
    public <K> WorkQueue<K> make(String name, RateLimits asked) {
        WorkQueue<K> queue = context.queue(name, limits == null ? asked : limits);
        queues.add(queue);
        return queue;
    }

    void shutDown() {
        queues.forEach(WorkQueue::shutDown);
    }

    /** The queues of the life whose state is known. */
    List<RateLimitingQueue<?>> known() {
        return queues.stream().filter(RateLimitingQueue.class::isInstance)
                .<RateLimitingQueue<?>>map(queue -> (RateLimitingQueue<?>) queue).toList();
    }
}
