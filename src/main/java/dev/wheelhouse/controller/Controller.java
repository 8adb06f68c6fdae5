package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
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

    /** The type of the objects that it syncs; null if it syncs objects of many types, or says nothing about them. */
    default @Nullable ResourceType syncs() {
        return null;
    }

    /**
     * The reasons why it does a part of its work only, although it runs: one sentence each. A process with such a
     * reason is not ready. Any thread may ask.
     */
    default Set<String> problems() {
        return Set.of();
    }

    /** The number of keys that wait because of a limit of the rate of syncs. Any thread may ask. */
    default int heldBack() {
        return 0;
    }

    /** Whether it can show what it would do. */
    default boolean plans() {
        return false;
    }

    /**
     * The writes that a controller that only observes would make, and that nobody has made for a while: the differences
     * from the process that writes, one sentence for each object. Empty if it writes itself.
     */
    default List<String> differences() {
        return List.of();
    }

    /**
     * The actions that it would take for an object now, if every write succeeded. Nothing is written. Any thread may
     * ask. The answer may depend on live reads.
     *
     * @param groupResource the type, such as {@code replicasets.apps} or {@code pods}
     * @return empty if there is no such object or the controller ignores it; an empty list if there is nothing to do
     * @throws IllegalArgumentException if the object cannot be synced until a user changes it; the message says why
     * @throws dev.wheelhouse.api.KubeApiException if a live read fails
     */
    default Optional<List<Action>> plan(String groupResource, ObjectKey object) {
        return Optional.empty();
    }
}
