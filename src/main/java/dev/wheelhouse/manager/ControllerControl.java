package dev.wheelhouse.manager;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.controller.OutageBackoff;
import dev.wheelhouse.controller.Worker;
import dev.wheelhouse.workqueue.RateLimitingQueue;
import dev.wheelhouse.workqueue.RateLimits;

/**
 * Changes a controller while it runs, and shows its queues and workers. A change holds for all further lives of the
 * controller in this process, and is forgotten at its end. Thread safe.
 */
public final class ControllerControl {
    private static final Logger log = LoggerFactory.getLogger(ControllerControl.class);
    /** A limit on the number of workers of one queue. */
    private static final int MOST_WORKERS = 1000;

    private final String controller;
    private final LiveSyncs syncs;
    private final Runnable wake;
    private final WorkerGate gate;
    private volatile @Nullable LifeQueues life;
    private volatile @Nullable RateLimits limits;
    private volatile int workers;

    /** @param wake steps the manager, which starts further workers */
    ControllerControl(String controller, LiveSyncs syncs, Runnable wake) {
        this.controller = controller;
        this.syncs = syncs;
        this.wake = wake;
        this.gate = new WorkerGate(() -> queues().stream().mapToInt(RateLimitingQueue::size).sum());
    }

    WorkerGate gate() {
        return gate;
    }

    /** The limits of a new life's queues; null if they have not been changed. */
    @Nullable
    RateLimits limits() {
        return limits;
    }

    void begin(LifeQueues queues) {
        life = queues;
    }

    private List<RateLimitingQueue<?>> queues() {
        LifeQueues now = life;
        return now == null ? List.of() : now.known();
    }

    record Further(Worker<?> worker, int number) {}

    /** The workers that are missing until each queue has as many as were asked for. Only the manager's thread asks. */
    List<Further> furtherWorkers() {
        int wanted = workers;
        List<Further> further = new ArrayList<>();
        if (wanted > 0) {
            Map<OutageBackoff<?>, List<Worker<?>>> byQueue = new HashMap<>();
            syncs.workers().forEach(worker -> byQueue.computeIfAbsent(worker.outage(), q -> new ArrayList<>())
                    .add(worker));
            byQueue.values().forEach(those -> {
                for (int number = those.size(); number < wanted; number++) {
                    further.add(new Further(those.getFirst().another(), number));
                }
            });
        }
        return further;
    }

    /** Pauses, drains or resumes the controller. Syncs in progress go on. */
    public void turn(ControllerMode mode) {
        gate.set(mode);
        log.warn("{} is {} on demand", controller, switch (mode) {
            case RUNNING -> "resumed";
            case DRAINING -> "drained, and then paused,";
            case PAUSED -> "paused";
        });
        // All queues may be empty already; then no worker would notice the end of the draining.
        gate.foundNothing();
    }

    /**
     * Queues keys whose last sync failed, without waiting for the end of their delays.
     *
     * @param key the key in words; empty for all
     * @return the number of these keys
     */
    public int retry(String key) {
        return syncs.retry(key);
    }

    /**
     * Changes the number of workers of each queue.
     *
     * @throws IllegalArgumentException if {@code count} is not from 1 to 1000
     */
    public void workers(int count) {
        if (count < 1 || count > MOST_WORKERS) {
            throw new IllegalArgumentException("the number of workers of " + controller + " must be from 1 to "
                    + MOST_WORKERS + ", not " + count);
        }
        workers = count;
        gate.admit(count);
        log.warn("{} has {} workers on demand", controller, count);
        wake.run();
    }

    /** Changes the limits of retries in each queue. */
    public void limit(RateLimits to) {
        limits = to;
        queues().forEach(queue -> queue.limit(to));
        log.warn("{} has the rate limits {} on demand", controller, to);
    }

    LiveController live(ControllerState state, List<String> reads) {
        Map<OutageBackoff<?>, Integer> perQueue = new HashMap<>();
        syncs.workers().forEach(worker -> perQueue.merge(worker.outage(), 1, Integer::sum));
        int made = perQueue.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        return new LiveController(state, gate.mode(), reads, workers == 0 ? made : Math.min(workers, made),
                queues().stream().map(queue -> new LiveController.Queue(queue.name(), queue.state(), queue.limits()))
                        .toList(),
                syncs.running());
    }
}
