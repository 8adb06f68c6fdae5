package dev.wheelhouse.manager;

import java.time.Duration;
import java.util.List;

import dev.wheelhouse.workqueue.RateLimits;
import dev.wheelhouse.workqueue.WorkQueueState;

/**
 * A controller at one moment, in more detail than {@link ControllerState}.
 *
 * @param reads the types of its caches, such as {@code deployments.apps}
 * @param workers the number of workers that each queue has, without the workers that the {@link WorkerGate} holds back
 * @param running the syncs in progress, the longest first
 */
public record LiveController(ControllerState state, ControllerMode mode, List<String> reads, int workers,
        List<Queue> queues, List<Running> running) {

    /** One queue of the controller. */
    public record Queue(String name, WorkQueueState state, RateLimits limits) {}

    /**
     * A sync in progress.
     *
     * @param at the innermost frame of its stack; empty if its thread has ended
     */
    public record Running(String key, Duration age, String at) {}
}
