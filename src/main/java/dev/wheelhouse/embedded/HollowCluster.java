package dev.wheelhouse.embedded;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controllers.AddressRange;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.node.NodeAgent;
import dev.wheelhouse.node.NodeAgentOptions;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.scheduler.Scheduler;
import dev.wheelhouse.scheduler.SchedulerConfig;

/**
 * Hollow nodes, a scheduler, a provisioner and a balancer. A hollow node simulates its pods (upstream:
 * {@code cmd/kubemark}), the provisioner makes volumes that store nothing, and the balancer gives out addresses to
 * which nothing listens. With controllers and an API server they make a cluster in which
 * pods appear to run. They work with any API server; the embedded mode starts them by default.
 */
public final class HollowCluster implements AutoCloseable {
    private static final int SCHEDULER_WRITERS = 4;
    private static final Duration GRACE = Duration.ofSeconds(2);

    private final List<NodeAgent> nodes = new ArrayList<>();
    private final @Nullable Scheduler scheduler;
    private final List<Loop> others = new ArrayList<>();
    private final SharedInformerFactory informers;
    private final LoopRunner runner;

    /**
     * @param nodes the nodes, each with its name, capacity and pod sources
     * @param scheduler whether to run a scheduler
     * @param storage whether to make a default StorageClass and the volumes of its claims
     * @param addresses of Services of type LoadBalancer and of Ingresses; null if they get none
     * @param alone whether there is no API server, so that the nodes run their static pods only
     * @param schedulerConfig the profiles of the scheduler
     */
    public record Options(List<NodeAgentOptions> nodes, boolean scheduler, boolean storage,
            @Nullable AddressRange addresses, boolean alone, SchedulerConfig schedulerConfig) {
        /** Addresses for documentation (RFC 5737), at which no network has a machine. */
        public static final String ADDRESSES = "198.51.100.0/24";

        public Options {
            nodes = List.copyOf(nodes);
        }

        /** On an API server. */
        public Options(List<NodeAgentOptions> nodes, boolean scheduler, boolean storage,
                @Nullable AddressRange addresses) {
            this(nodes, scheduler, storage, addresses, false, SchedulerConfig.DEFAULT);
        }
    }

    /**
     * Makes the nodes and the scheduler; {@link #start()} runs them.
     *
     * @param informers the caches of all parts but the nodes; their owner starts and closes them
     * @param events makes the Event recorder of a component, by the component's name
     */
    public HollowCluster(Options options, KubeClient client, SharedInformerFactory informers,
            Function<String, EventRecorder> events, MeterRegistry registry, Clock clock) {
        this(options, client, informers, events, registry, clock, new LoopRunner("hollow", clock));
    }

    /** @param runner runs the loops; this cluster closes it */
    public HollowCluster(Options options, KubeClient client, SharedInformerFactory informers,
            Function<String, EventRecorder> events, MeterRegistry registry, Clock clock, LoopRunner runner) {
        this.informers = informers;
        this.runner = runner;
        for (NodeAgentOptions node : options.nodes) {
            EventRecorder recorder = events.apply("kubelet");
            nodes.add(options.alone
                    ? NodeAgent.alone(node, client, recorder, registry, clock)
                    : NodeAgent.registered(node, client, recorder, registry, clock));
        }
        scheduler = options.scheduler
                ? new Scheduler(options.schedulerConfig, client, informers, events, clock, registry, 0,
                        SCHEDULER_WRITERS)
                : null;
        ControllerContext context = new ControllerContext(client, informers, clock, events,
                ControllerContext.Settings.stepped());
        if (options.storage) {
            others.add(new DefaultStorage(client));
            others.addAll(new HollowProvisioner(context, volume -> options.nodes.stream().map(NodeAgentOptions::runtime)
                    .filter(Objects::nonNull).forEach(runtime -> runtime.discardVolume(volume))).loops());
        }
        if (options.addresses != null) {
            others.addAll(new HollowBalancer(context, options.addresses).loops());
        }
    }

    /** Starts the nodes, the other parts and the informers that these asked for. Call it once. */
    public void start() {
        nodes.forEach(node -> node.start(runner));
        informers.startNew();
        int i = 0;
        for (Loop loop : others) {
            runner.startOnPlatformThread("cluster-" + i++, loop);
        }
        if (scheduler != null) {
            for (Loop loop : scheduler.loops()) {
                runner.startOnPlatformThread("scheduler-" + i++, loop);
            }
        }
    }

    /** Whether all nodes are registered and know their pods. The state of the scheduler does not matter. */
    public boolean isReady() {
        return nodes.stream().allMatch(NodeAgent::isReady);
    }

    public int nodeCount() {
        return nodes.size();
    }

    public List<NodeAgent> nodes() {
        return List.copyOf(nodes);
    }

    /** Stops the nodes and the scheduler. The pods stay in the API server as they are. */
    @Override
    public void close() {
        if (scheduler != null) {
            scheduler.close();
        }
        nodes.forEach(NodeAgent::close);
        runner.close(GRACE);
    }
}
