package dev.wheelhouse.manager;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ForwardingControllerContext;
import dev.wheelhouse.informer.ScopedInformers;
import dev.wheelhouse.workqueue.RateLimitingQueue;
import dev.wheelhouse.workqueue.RateLimits;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * The context of one life of a controller, from its making to its end. It remembers the handlers and queues that the
 * life made, so that a constructor that fails leaves nothing behind.
 */
final class LifeContext extends ForwardingControllerContext {
    private final String controller;
    private final ScopedInformers informers;
    private final List<WorkQueue<?>> queues = new CopyOnWriteArrayList<>();
    private final @Nullable RateLimits limits;

    /**
     * @param controller the controller's name
     * @param limits the limits of retries instead of those that the controller asks for; null for these
     */
    LifeContext(String controller, ControllerContext behind, ScopedInformers informers, @Nullable RateLimits limits) {
        super(behind);
        this.controller = controller;
        this.limits = limits;
        this.informers = informers;
    }

    void shutDownQueues() {
        queues.forEach(WorkQueue::shutDown);
    }

    @Override
    public KubeClient client() {
        return client(controller);
    }

    @Override
    public ScopedInformers informers() {
        return informers;
    }

    /** The queues of the life whose state is known. */
    List<RateLimitingQueue<?>> queues() {
        return queues.stream().<RateLimitingQueue<?>>mapMulti((queue, take) -> {
            if (queue instanceof RateLimitingQueue<?> known) {
                take.accept(known);
            }
        }).toList();
    }

    @Override
    public <K> WorkQueue<K> queue(String name, RateLimits asked) {
        WorkQueue<K> queue = super.queue(name, limits == null ? asked : limits);
        queues.add(queue);
        return queue;
    }
}
