package dev.wheelhouse.testing;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controller.DefaultControllerContext;
import dev.wheelhouse.election.Leadership;
import dev.wheelhouse.embedded.HollowCluster;
import dev.wheelhouse.event.EventBroadcaster;
import dev.wheelhouse.event.EventMetrics;
import dev.wheelhouse.informer.InformerFactory;
import dev.wheelhouse.manager.BuiltInControllers;
import dev.wheelhouse.manager.ControllerManager;
import dev.wheelhouse.manager.ManagerGuard;
import dev.wheelhouse.node.NodeAgentOptions;
import dev.wheelhouse.node.NodeMetrics;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.scheduler.SchedulerMetrics;
import dev.wheelhouse.workqueue.WorkQueueMetrics;

/** Runs the built-in controllers, hollow nodes and a scheduler on their own threads. */
final class RunningControllers implements AutoCloseable {
    private static final Duration GRACE = Duration.ofSeconds(3);

    private final LoopRunner runner;
    private final InformerFactory informers;
    private final EventBroadcaster events;
    private final ControllerManager manager;
    private final HollowCluster cluster;

    RunningControllers(KubeClient client, Clock clock, boolean controllers, int nodes) {
        runner = new LoopRunner("controllers", clock);
        informers = new InformerFactory(client, clock);
        events = new EventBroadcaster(client, clock, EventMetrics.NONE);
        DefaultControllerContext context = new DefaultControllerContext(client, informers, clock, events::recorder,
                DefaultControllerContext.Settings.defaults());
        manager = new ControllerManager(context, controllers ? BuiltInControllers.all() : List.of(),
                new ManagerGuard(ManagerGuard.Mode.TAKEOVER, client, clock), Leadership.ALONE, runner);
        cluster = new HollowCluster(new HollowCluster.Options(hollow(nodes), nodes > 0), client, informers,
                events::recorder, SchedulerMetrics.NONE, NodeMetrics.NONE, WorkQueueMetrics.NONE, clock);
        informers.start(runner);
        runner.start("event-broadcaster", events);
        runner.start("controller-manager", manager);
        cluster.start();
    }

    private static List<NodeAgentOptions> hollow(int nodes) {
        return IntStream.range(0, nodes).mapToObj(i -> NodeAgentOptions.hollow("node-" + (i + 1), i)).toList();
    }

    @Override
    public void close() {
        manager.close();
        cluster.close();
        informers.close();
        runner.close(GRACE);
    }
}
