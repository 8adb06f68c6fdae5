package dev.wheelhouse.controller;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.workqueue.RateLimits;
import dev.wheelhouse.workqueue.WorkQueue;

/** The dependencies of a controller. The methods with a name return the parts of the controller with that name. */
public interface ControllerContext {
    KubeClient client();

    /** The client for a controller's own requests. Lists and watches of caches use {@link #client()}. */
    default KubeClient client(String controller) {
        return client();
    }

    SharedInformerFactory informers();

    Clock clock();

    /** The executor for a controller's writes. */
    default ActionExecutor executor(String controller) {
        return executor(controller, controller);
    }

    /**
     * The executor for a controller's writes whose Events name another component.
     *
     * @param eventSource the component in the Events
     */
    ActionExecutor executor(String controller, String eventSource);

    /** A new work queue with upstream's rate limits: 5 ms to 1000 s per key, 10 retries a second per namespace. */
    default <K> WorkQueue<K> queue(String name) {
        return queue(name, RateLimits.CONTROLLER);
    }

    /** A new work queue. The limit per second is one for each namespace. */
    <K> WorkQueue<K> queue(String name, RateLimits limits);

    /** The number of workers of a controller. */
    default int workers(String controller) {
        return workers(controller, null);
    }

    /**
     * The number of workers of a controller.
     *
     * @param preset the number if the options name none for this controller; null for that of all controllers
     */
    int workers(String controller, @Nullable Integer preset);

    /** The options of the built-in controllers. */
    Options options();

    /** Whether a controller that is made now only plans and writes nothing. */
    boolean observes(String controller);

    /** Whether a controller may write at this moment: this process leads, and the controller does not observe. */
    boolean mayWrite(String controller);

    /**
     * The record of a controller's writes that the caches do not show yet. Calls with the same name return the same
     * store.
     */
    ConsistencyStore consistency(String controller);

    /** A recorder for Events that do not go through an executor. */
    EventRecorder events(String component);

    /** The metrics of all controllers. */
    ControllerMetrics metrics();
}
