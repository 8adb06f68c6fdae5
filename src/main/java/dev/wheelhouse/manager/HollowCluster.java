package dev.wheelhouse.manager;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.node.NodeAgent;
import dev.wheelhouse.node.NodeAgentOptions;
import dev.wheelhouse.node.NodeMetrics;
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
     * @param nodes each with its name, capacity and pod sources
     * @param scheduler whether to run one
     */
    public record Options(List<NodeAgentOptions> nodes, boolean scheduler) {
        public Options {
            nodes = List.copyOf(nodes);
        }
    }

    /**
     * Makes nodes and scheduler; {@link #start()} runs them.
     *
     * @param events makes the recorder of a component
     */
    public HollowCluster(Options options, KubeClient client, SharedInformerFactory informers,
            Function<String, EventRecorder> events,
            SchedulerMetrics schedulerMetrics, NodeMetrics nodeMetrics, WorkQueueMetrics queueMetrics, Clock clock) {
        this.informers = informers;
        this.runner = new LoopRunner("hollow", clock);
        for (NodeAgentOptions node : options.nodes) {
            nodes.add(NodeAgent.hollow(node, client, events.apply("kubelet"), nodeMetrics, clock));
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

    /** The agents of the nodes. */
    public List<NodeAgent> nodes() {
        return List.copyOf(nodes);
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
