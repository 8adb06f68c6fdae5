package dev.wheelhouse.controller;

import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.workqueue.WorkQueue;

/** What a controller is made from. */
public interface ControllerContext {
    KubeClient client();

    SharedInformerFactory informers();

    Clock clock();

    /** The executor that writes on behalf of a controller. */
    ActionExecutor executor(String controller);

    /**
     * The same, whose Events come from a component of another name.
     *
     * @param eventSource the component that Events name
     */
    ActionExecutor executor(String controller, String eventSource);

    /** A new rate-limiting queue, with upstream's default limits (5 ms to 1000 s per key, 10 keys a second for each namespace). */
    <K> WorkQueue<K> queue(String name);

    /** How many workers a controller is to have. */
    int workers(String controller);

    /**
     * What a controller's executor has written and the caches have not yet seen: the same store for every call with one name.
     */
    ConsistencyStore consistency(String controller);

    /** Reports Events on behalf of a component, for those that do not go through an executor. */
    EventRecorder events(String component);

    /** Counts what controllers do. */
    ControllerMetrics metrics();
}
