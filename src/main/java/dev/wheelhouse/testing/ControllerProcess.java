package dev.wheelhouse.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerContext.Settings;
import dev.wheelhouse.controller.Options;
import dev.wheelhouse.election.Leadership;
import dev.wheelhouse.embedded.HollowCluster;
import dev.wheelhouse.event.EventBroadcaster;
import dev.wheelhouse.informer.InformerFactory;
import dev.wheelhouse.informer.InformerOptions;
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.manager.ControllerManager;
import dev.wheelhouse.manager.ManagerGuard;
import dev.wheelhouse.manager.Standby;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.node.NodeAgentOptions;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.runtime.SteppedRunner;

/**
 * One process of a controller manager, with its caches, controllers, Events and hollow nodes: either on threads of its
 * own, or stepped by the caller's thread. Closing it loses all state, as the end of a process does.
 */
final class ControllerProcess implements AutoCloseable {
    private static final Duration GRACE = Duration.ofSeconds(3);

    private final LoopRunner runner;
    private final LoopRunner hollow;
    private final InformerFactory informers;
    private final EventBroadcaster events;
    private final ControllerManager manager;
    private final HollowCluster cluster;
    private boolean halted;

    private ControllerProcess(KubeClient client, Clock clock, LoopRunner runner, LoopRunner hollow,
            InformerOptions options, Settings settings, UnaryOperator<ControllerContext> view,
            List<ControllerDescriptor> controllers, int nodes) {
        this.runner = runner;
        this.hollow = hollow;
        informers = new InformerFactory(client, clock, Meters.NONE, options);
        events = new EventBroadcaster(client, clock, Meters.NONE);
        ControllerContext context = view
                .apply(new ControllerContext(client, informers, clock, events::recorder, settings));
        manager = new ControllerManager(context, controllers,
                new ManagerGuard(ManagerGuard.Mode.TAKEOVER, client, clock), Leadership.ALONE, Standby.COLD, runner);
        cluster = new HollowCluster(new HollowCluster.Options(IntStream.range(0, nodes)
                .mapToObj(i -> NodeAgentOptions.hollow("node-" + (i + 1), i)).toList(), nodes > 0, nodes > 0), client,
                informers, events::recorder, Meters.NONE, clock,
                hollow);
    }

    /** Starts a process whose loops have threads. */
    static ControllerProcess onThreads(KubeClient client, Clock clock, List<ControllerDescriptor> controllers,
            int nodes, Options controllerOptions) {
        ControllerProcess process = new ControllerProcess(client, clock, new LoopRunner("controllers", clock),
                new LoopRunner("hollow", clock), InformerOptions.defaults(),
                Settings.defaults().with(controllerOptions), context -> context, controllers, nodes);
        process.informers.start(process.runner);
        process.start();
        return process;
    }

    /**
     * Starts a process without threads.
     *
     * @param view changes the context of the controllers
     * @param options of the informers
     */
    static ControllerProcess stepped(KubeClient client, Clock clock, List<ControllerDescriptor> controllers, int nodes,
            UnaryOperator<ControllerContext> view, InformerOptions options, Options controllerOptions) {
        ControllerProcess process = new ControllerProcess(client, clock, new SteppedRunner("controllers", clock),
                new SteppedRunner("hollow", clock),
                options, Settings.stepped().with(controllerOptions), view, controllers, nodes);
        process.start();
        return process;
    }

    private void start() {
        runner.start("events", events);
        runner.start("controller-manager", manager);
        cluster.start();
    }

    /** Whether a stepped process stands still, so that none of its loops is stepped. */
    boolean isHalted() {
        return halted;
    }

    void halt(boolean value) {
        halted = value;
    }

    /** The loops of the caches of a stepped process, up to the handlers of events. */
    List<Loop> caches() {
        return informers.loops();
    }

    /** The other loops of a stepped process. */
    List<Loop> workers() {
        List<Loop> loops = new ArrayList<>();
        for (LoopRunner each : List.of(runner, hollow)) {
            if (each instanceof SteppedRunner stepped) {
                loops.addAll(stepped.loops().keySet());
            }
        }
        return loops;
    }

    /** The name of a loop of a stepped process. */
    String name(Loop loop) {
        return runner instanceof SteppedRunner stepped
                ? stepped.loops().getOrDefault(loop, loop.toString())
                : loop.toString();
    }

    ControllerManager manager() {
        return manager;
    }

    /** @throws IllegalStateException if somebody changed an object of a stepped process's caches */
    void verifyCachesUnchanged() {
        informers.verifyUnchanged();
    }

    @Override
    public void close() {
        manager.close();
        cluster.close();
        informers.close();
        runner.close(GRACE);
    }
}
