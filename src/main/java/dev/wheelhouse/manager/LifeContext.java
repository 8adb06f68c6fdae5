package dev.wheelhouse.manager;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controller.ActionExecutor;
import dev.wheelhouse.controller.ConsistencyStore;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.informer.ScopedInformers;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.workqueue.RateLimits;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * The context of one life of a controller, from its making to its end. It remembers the handlers and queues that the
 * life made, so that a constructor that fails leaves nothing behind.
 */
final class LifeContext implements ControllerContext {
    private final ControllerContext behind;
    private final ScopedInformers informers;
    private final List<WorkQueue<?>> queues = new ArrayList<>();

    LifeContext(ControllerContext behind, ScopedInformers informers) {
        this.behind = behind;
        this.informers = informers;
    }

    void shutDownQueues() {
        queues.forEach(WorkQueue::shutDown);
    }

    @Override
    public KubeClient client() {
        return behind.client();
    }

    @Override
    public ScopedInformers informers() {
        return informers;
    }

    @Override
    public Clock clock() {
        return behind.clock();
    }

    @Override
    public ActionExecutor executor(String controller) {
        return behind.executor(controller);
    }

    @Override
    public ActionExecutor executor(String controller, String eventSource) {
        return behind.executor(controller, eventSource);
    }

    @Override
    public <K> WorkQueue<K> queue(String name, RateLimits limits) {
        WorkQueue<K> queue = behind.queue(name, limits);
        queues.add(queue);
        return queue;
    }

    @Override
    public int workers(String controller, @Nullable Integer preset) {
        return behind.workers(controller, preset);
    }

    @Override
    public boolean observes(String controller) {
        return behind.observes(controller);
    }

    @Override
    public boolean mayWrite(String controller) {
        return behind.mayWrite(controller);
    }

    @Override
    public ConsistencyStore consistency(String controller) {
        return behind.consistency(controller);
    }

    @Override
    public EventRecorder events(String component) {
        return behind.events(component);
    }

    @Override
    public ControllerMetrics metrics() {
        return behind.metrics();
    }
}
