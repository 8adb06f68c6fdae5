package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.List;

import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.runtime.Loop;

/** One controller, made but not yet running: its handlers are registered, its loops are for someone else to drive. */
public interface Controller extends AutoCloseable {
    /** Its name, as upstream's kube-controller-manager says it: {@code deployment-controller}. */
    String name();

    /** The caches that must have synced before its loops may run. */
    List<SharedIndexInformer<?>> informers();

    /** Its loops, workers among them, each for a thread of its own. */
    List<Loop> loops();

    /** Shuts its queues down; keys that are queued are not worked on. */
    @Override
    void close();

    /**
     * Waits, after it was closed, until the keys that are being worked on are done, so that no write is cut off half way.
     *
     * @return whether that came to pass within the time
     */
    boolean drain(Duration within) throws InterruptedException;
}
