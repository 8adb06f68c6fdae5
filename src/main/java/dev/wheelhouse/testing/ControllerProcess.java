package dev.wheelhouse.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controller.Options;
import dev.wheelhouse.controllers.AddressRange;
import dev.wheelhouse.embedded.HollowCluster;
import dev.wheelhouse.informer.InformerFactory;
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.manager.ControllerManager;
import dev.wheelhouse.manager.Engine;
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

    private final Engine engine;
    private final LoopRunner hollow;
    private final HollowCluster cluster;
    private boolean halted;

    private ControllerProcess(KubeClient client, Clock clock, LoopRunner hollow, Engine engine, int nodes) {
        this.engine = engine;
        this.hollow = hollow;
        cluster = new HollowCluster(new HollowCluster.Options(IntStream.range(0, nodes)
                .mapToObj(i -> NodeAgentOptions.hollow("node-" + (i + 1), i)).toList(), nodes > 0, nodes > 0,
                nodes > 0 ? AddressRange.of(HollowCluster.Options.ADDRESSES) : null), client,
                engine.informers(), engine.events()::recorder, Meters.NONE, clock, hollow);
        engine.start();
        cluster.start();
    }

    /** Starts a process whose loops have threads. */
    static ControllerProcess onThreads(KubeClient client, Clock clock, List<ControllerDescriptor> controllers,
            int nodes, Options options) {
        return new ControllerProcess(client, clock, new LoopRunner("hollow", clock),
                new Engine.Builder(client, clock, new LoopRunner("controllers", clock)).options(options)
                        .build(controllers),
                nodes);
    }

    /**
     * Starts a process without threads.
     *
     * @param wiring changes the parts of the process
     */
    static ControllerProcess stepped(KubeClient client, Clock clock, List<ControllerDescriptor> controllers, int nodes,
            UnaryOperator<Engine.Builder> wiring) {
        return new ControllerProcess(client, clock, new SteppedRunner("hollow", clock), wiring.apply(
                new Engine.Builder(client, clock, new SteppedRunner("controllers", clock))).build(controllers), nodes);
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
        return engine.informers().loops();
    }

    /** The other loops of a stepped process. */
    List<Loop> workers() {
        List<Loop> loops = new ArrayList<>();
        for (LoopRunner each : List.of(engine.runner(), hollow)) {
            if (each instanceof SteppedRunner stepped) {
                loops.addAll(stepped.loops().keySet());
            }
        }
        return loops;
    }

    /**
     * Whether a loop is the manager's own and has nothing to do. It looks for blocked syncs from time to time, and in a
     * stepped process none blocks.
     */
    boolean isAtRest(Loop loop) {
        return loop == manager() && manager().isRunning();
    }

    /** The name of a loop of a stepped process. */
    String name(Loop loop) {
        return engine.runner() instanceof SteppedRunner stepped
                ? stepped.loops().getOrDefault(loop, loop.toString())
                : loop.toString();
    }

    InformerFactory informers() {
        return engine.informers();
    }

    ControllerManager manager() {
        return engine.manager();
    }

    /** @throws IllegalStateException if somebody changed an object of a stepped process's caches */
    void verifyCachesUnchanged() {
        engine.informers().verifyUnchanged();
    }

    @Override
    public void close() {
        engine.manager().close();
        cluster.close();
        engine.informers().close();
        engine.runner().close(GRACE);
    }
}
