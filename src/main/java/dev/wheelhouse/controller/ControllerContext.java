package dev.wheelhouse.controller;

import dev.wheelhouse.client.KubeClient;
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

    /** A new rate-limiting queue, with upstream's default limits (5 ms to 1000 s per key, 10 keys a second overall). */
    <K> WorkQueue<K> queue(String name);

    /** How many workers a controller is to have. */
    int workers(String controller);
}
