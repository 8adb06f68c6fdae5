package dev.wheelhouse.manager;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.node.NodeAgent;
import dev.wheelhouse.node.NodeAgentOptions;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.scheduler.Scheduler;
import dev.wheelhouse.scheduler.SchedulerMetrics;
import dev.wheelhouse.workqueue.WorkQueueMetrics;

/**
 * What an API server needs beside controllers to bring pods to life: hollow nodes, and a scheduler that binds pods to nodes.
 * It works on any API server; the embedded mode starts it by default.
 */
public final class HollowCluster implements AutoCloseable {
    private static final int SCHEDULER_WRITERS = 4;
    private static final Duration GRACE = Duration.ofSeconds(2);

    private final List<NodeAgent> nodes = new ArrayList<>();
    private final @Nullable Scheduler scheduler;
    private final SharedInformerFactory informers;
    private final LoopRunner runner;

    /**
     * @param nodes how many
     * @param namePrefix their names are this and a number from 1
     * @param capacity resources of each, as quantities, in the place of the defaults
     * @param scheduler whether to run one
     */
    public record Options(int nodes, String namePrefix, Map<String, String> capacity, boolean scheduler) {
        public Options {
            capacity = Map.copyOf(capacity);
        }
    }

    /**
     * Makes nodes and scheduler; {@link #start()} runs them.
     *
     * @param events makes the recorder of a component
     */
    public HollowCluster(Options options, KubeClient client, SharedInformerFactory informers,
            Function<String, EventRecorder> events,
            SchedulerMetrics schedulerMetrics, WorkQueueMetrics queueMetrics, Clock clock) {
        this.informers = informers;
        this.runner = new LoopRunner("hollow", clock);
        for (int i = 0; i < options.nodes; i++) {
            NodeAgentOptions node = NodeAgentOptions.hollow(options.namePrefix + (i + 1), i);
            if (!options.capacity.isEmpty()) {
                var capacity = new java.util.LinkedHashMap<>(node.capacity());
                capacity.putAll(options.capacity);
                node = node.withCapacity(capacity);
            }
            nodes.add(NodeAgent.hollow(node, client, events.apply("kubelet"), clock));
        }
        scheduler = options.scheduler
                ? new Scheduler(client, informers, events.apply(Scheduler.NAME), clock, schedulerMetrics, queueMetrics,
                        0,
                        SCHEDULER_WRITERS)
                : null;
    }

    public void start() {
        nodes.forEach(node -> node.start(runner));
        if (scheduler != null) {
            informers.start(runner);
            int i = 0;
            for (Loop loop : scheduler.loops()) {
                runner.startOnPlatformThread("scheduler-" + i++, loop);
            }
        }
    }

    /** Whether every node is registered and knows its pods. */
    public boolean isReady() {
        return nodes.stream().allMatch(NodeAgent::isReady);
    }

    public int nodeCount() {
        return nodes.size();
    }

    /** Stops nodes and scheduler; the pods stay as the API server has them. */
    @Override
    public void close() {
        if (scheduler != null) {
            scheduler.close();
        }
        nodes.forEach(NodeAgent::close);
        runner.close(GRACE);
    }
}
