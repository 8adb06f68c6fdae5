package dev.wheelhouse.controller;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.workqueue.RateLimits;
import dev.wheelhouse.workqueue.WorkQueue;

/** A context that forwards every call to another context. Subclasses override some methods. */
public abstract class ForwardingControllerContext implements ControllerContext {
    private final ControllerContext behind;

    protected ForwardingControllerContext(ControllerContext behind) {
        this.behind = behind;
    }

    @Override
    public KubeClient client() {
        return behind.client();
    }

    @Override
    public KubeClient client(String controller) {
        return behind.client(controller);
    }

    @Override
    public SharedInformerFactory informers() {
        return behind.informers();
    }

    @Override
    public Clock clock() {
        return behind.clock();
    }

    @Override
    public ActionExecutor executor(String controller, String eventSource) {
        return behind.executor(controller, eventSource);
    }

    @Override
    public <K> WorkQueue<K> queue(String name, RateLimits limits) {
        return behind.queue(name, limits);
    }

    @Override
    public int workers(String controller, @Nullable Integer preset) {
        return behind.workers(controller, preset);
    }

    @Override
    public Options options() {
        return behind.options();
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
