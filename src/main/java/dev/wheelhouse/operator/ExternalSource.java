package dev.wheelhouse.operator;

import java.util.function.Consumer;

import dev.wheelhouse.api.ObjectKey;

/**
 * A source of events outside of the cluster, such as a queue or a timer. It starts when the operator may act, on a
 * thread of its own, and is interrupted when the operator ends. A source that throws is run again after 1 s to 1 min.
 */
@FunctionalInterface
public interface ExternalSource {
    /**
     * Runs until it is interrupted, or returns at once and calls the trigger from its own threads.
     *
     * @param trigger reconciles the primary object with this key. Any thread may call it at any time
     */
    void run(Consumer<ObjectKey> trigger) throws Exception;
}
