package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.List;

import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.runtime.Loop;

/** A controller whose handlers are registered. It has no threads: the caller runs its loops. */
public interface Controller extends AutoCloseable {
    /** The name, which is upstream's for a built-in controller, such as {@code deployment-controller}. */
    String name();

    /** The caches that must have synced before the loops may run. */
    List<SharedIndexInformer<?>> informers();

    /** The loops, workers included; each may have its own thread. */
    List<Loop> loops();

    /** Shuts the queues down. Keys that are queued are not synced any more. */
    @Override
    void close();

    /**
     * Waits, after {@link #close}, until no sync is running, so that no sync is cut off between two writes.
     *
     * @return false if a sync is still running after {@code within}
     */
    boolean drain(Duration within) throws InterruptedException;
}
