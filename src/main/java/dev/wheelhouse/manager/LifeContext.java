package dev.wheelhouse.manager;

import java.util.ArrayList;
import java.util.List;

import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ForwardingControllerContext;
import dev.wheelhouse.informer.ScopedInformers;
import dev.wheelhouse.workqueue.RateLimits;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * The context of one life of a controller, from its making to its end. It remembers the handlers and queues that the
 * life made, so that a constructor that fails leaves nothing behind.
 */
final class LifeContext extends ForwardingControllerContext {
    private final ScopedInformers informers;
    private final List<WorkQueue<?>> queues = new ArrayList<>();

    LifeContext(ControllerContext behind, ScopedInformers informers) {
        super(behind);
        this.informers = informers;
    }

    void shutDownQueues() {
        queues.forEach(WorkQueue::shutDown);
    }

    @Override
    public ScopedInformers informers() {
        return informers;
    }

    @Override
    public <K> WorkQueue<K> queue(String name, RateLimits limits) {
        WorkQueue<K> queue = super.queue(name, limits);
        queues.add(queue);
        return queue;
    }
}
