package dev.wheelhouse.controllers.node;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1NodeCondition;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.controllers.node.NodeHealth.Observation;
import dev.wheelhouse.controllers.node.NodeTaints.NoExecuteChange;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.informer.Indexer;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.runtime.Clock;

/**
 * The rounds over all nodes (upstream: {@code monitorNodeHealth} in
 * {@code pkg/controller/nodelifecycle/node_lifecycle_controller.go}): writes the status Unknown of nodes without a sign
 * of life, ends the readiness of their pods, and says which nodes are to be tainted. One thread at a time may use it,
 * except for {@link #isUnready}.
 */
final class NodeMonitor {
    private static final Logger log = LoggerFactory.getLogger(NodeMonitor.class);
    /** The namespace of the Leases of nodes. */
    static final String LEASES = "kube-node-lease";
    private static final int TRIES = 5;
    private static final String EXCLUDED = "node.kubernetes.io/exclude-disruption";
    private static final ResourceType NODES = ResourceType.NODES;

    private final Indexer<V1Node> nodes;
    private final SharedIndexInformer<V1Lease> leases;
    private final PodsOnNodes pods;
    private final ResourceClient<V1Node> liveNodes;
    private final ControllerOptions.NodeLifecycle options;
    private final Clock clock;
    private final BiConsumer<String, NoExecuteChange> taintChanges;
    private final ZoneStates zones;
    private final NodeLifecycleMetrics metrics;
    private final Map<String, V1Node> known = new HashMap<>();
    private final Map<String, NodeHealth> healths = new ConcurrentHashMap<>();
    /** The nodes with pods whose readiness could not be ended. */
    private final Set<String> retries = new HashSet<>();

    /** @param taintChanges gets the names of nodes and what is to be done about their taints */
    NodeMonitor(Indexer<V1Node> nodes, SharedIndexInformer<V1Lease> leases, PodsOnNodes pods,
            ResourceClient<V1Node> liveNodes, ControllerOptions.NodeLifecycle options,
            Clock clock, NodeLifecycleMetrics metrics, BiConsumer<String, NoExecuteChange> taintChanges) {
        this.nodes = nodes;
        this.leases = leases;
        this.pods = pods;
        this.liveNodes = liveNodes;
        this.options = options;
        this.clock = clock;
        this.zones = new ZoneStates(options);
        this.metrics = metrics;
        this.taintChanges = taintChanges;
    }

    /**
     * Looks at all nodes once.
     *
     * @return the number of nodes
     */
    int round(SyncRun run) {
        long begin = clock.nanoTime();
        List<V1Node> all = nodes.list();
        compareWithKnown(all, run);
        Map<String, List<@Nullable V1NodeCondition>> conditions = new TreeMap<>();
        for (V1Node node : all) {
            long start = clock.nanoTime();
            Seen seen = look(node, run);
            if (seen != null) {
                if (!Metadata.labels(seen.node.getMetadata()).containsKey(EXCLUDED)) {
                    conditions.computeIfAbsent(Zone.of(seen.node), zone -> new ArrayList<>()).add(seen.ready);
                }
                actOn(seen, run);
            }
            metrics.looked(clock.nanoTime() - start);
        }
        Map<String, ZoneStates.Size> sizes = new TreeMap<>();
        conditions.forEach((zone, ready) -> sizes.put(zone, ZoneStates.Size.of(ready)));
        metrics.sizes(sizes);
        switch (zones.update(sizes, clock.nanoTime())) {
            case ALL_DISRUPTED -> {
                log.warn("{}: no node is ready, so that no pod is evicted", NodeLifecycleController.NAME);
                all.forEach(this::clear);
            }
            case RECOVERED -> {
                log.info("{}: some node is ready again, so that pods are evicted again", NodeLifecycleController.NAME);
                healths.replaceAll((name, health) -> health.revived(clock.nanoTime()));
            }
            case NONE -> {
            }
        }
        metrics.lookedAtAll(clock.nanoTime() - begin);
        return all.size();
    }

    /** Learns which nodes are new and which are gone. */
    private void compareWithKnown(List<V1Node> all, SyncRun run) {
        Map<String, V1Node> gone = new HashMap<>(known);
        for (V1Node node : all) {
            gone.remove(NodeHealth.name(node));
            zones.of(node, clock.nanoTime());
            if (known.put(NodeHealth.name(node), node) == null) {
                report(node, "RegisteredNode", "Node %1$s event: Registered Node %1$s in Controller", run);
                clear(node);
            }
        }
        gone.forEach((name, node) -> {
            report(node, "RemovingNode", "Node %1$s event: Removing Node %1$s from Controller", run);
            known.remove(name);
            healths.remove(name);
            retries.remove(name);
            zones.all().forEach(zone -> zone.remove(name));
        });
    }

    private static void report(V1Node node, String reason, String message, SyncRun run) {
        run.execute(List.of(new Action.Event(NODES, node, EventRecorder.NORMAL, reason,
                message.formatted(NodeHealth.name(node)))));
    }

    /**
     * A node after a look at it.
     *
     * @param observed the status of the condition Ready before the look
     * @param ready the condition Ready after it; null if there is none
     */
    private record Seen(V1Node node, String observed, @Nullable V1NodeCondition ready) {}

    /** Looks at a node and writes its status if necessary. Null if that fails. */
    private @Nullable Seen look(V1Node cached, SyncRun run) {
        V1Node node = cached;
        String name = NodeHealth.name(node);
        for (int i = 1;; i++) {
            V1Lease lease = leases.get(ObjectKey.of(LEASES, name));
            Observation seen = NodeHealth.observe(healths.get(name), node, lease, options, clock.now(),
                    clock.nanoTime());
            healths.put(name, seen.health());
            V1Node changed = seen.changed();
            if (changed == null) {
                return new Seen(node, seen.observed(), seen.current());
            }
            KubeApiException error = run.execute(List.of(new Action.UpdateStatus(NODES, changed,
                    "its kubelet has given no sign of life"))).error();
            if (error == null) {
                healths.put(name, seen.health().written(seen.current(), lease));
                return new Seen(changed, seen.observed(), seen.current());
            }
            try {
                if (i == TRIES) {
                    throw error;
                }
                node = liveNodes.get(ObjectKey.cluster(name));
            } catch (KubeApiException e) {
                log.warn("{}: the status of the node {} cannot be written, so that it is looked at in the next round: "
                        + "{}", NodeLifecycleController.NAME, name, e.getMessage());
                return null;
            }
        }
    }

    private void actOn(Seen seen, SyncRun run) {
        V1NodeCondition ready = seen.ready;
        String name = NodeHealth.name(seen.node);
        if (ready == null) {
            retries.remove(name);
            return;
        }
        if (NodeHealth.isTrue(ready)) {
            clear(seen.node);
        } else {
            taint(seen.node, "False".equals(ready.getStatus()) ? NodeTaints.UNREACHABLE : NodeTaints.NOT_READY,
                    "False".equals(ready.getStatus()) ? NodeTaints.NOT_READY : NodeTaints.UNREACHABLE);
        }
        boolean fell = !NodeHealth.isTrue(ready) && seen.observed.equals("True");
        if (fell) {
            report(seen.node, "NodeNotReady", "Node %s status is now: NodeNotReady", run);
        }
        boolean again = retries.remove(name) && !seen.observed.equals("True");
        if ((fell || again) && PodReadiness.end(pods.on(name), clock.now(), run) != null) {
            retries.add(name);
        }
    }

    /** Removes the taints that evict pods. */
    private void clear(V1Node node) {
        zones.of(node, clock.nanoTime()).remove(NodeHealth.name(node));
        if (NodeTaints.evicts(node, NodeTaints.NOT_READY) || NodeTaints.evicts(node, NodeTaints.UNREACHABLE)) {
            taintChanges.accept(NodeHealth.name(node), NoExecuteChange.CLEAR);
        }
    }

    /** Replaces a taint at once, and adds one when the zone's rate allows it. */
    private void taint(V1Node node, String opposite, String wanted) {
        String name = NodeHealth.name(node);
        if (NodeTaints.evicts(node, opposite)) {
            taintChanges.accept(name, NoExecuteChange.SWAP);
            return;
        }
        Zone zone = zones.of(node, clock.nanoTime());
        if (!NodeTaints.evicts(node, wanted)) {
            zone.remove(name);
        }
        zone.add(name);
    }

    /** Grants the taints that the rates allow now. */
    void grant() {
        for (Zone zone : zones.all()) {
            for (String name = zone.next(clock.nanoTime()); name != null; name = zone.next(clock.nanoTime())) {
                taintChanges.accept(name, NoExecuteChange.EVICT);
            }
        }
    }

    /** The nanoseconds until a taint may be granted; {@code Long.MAX_VALUE} if none will be. */
    long nanosToGrant() {
        return zones.all().stream().mapToLong(zone -> zone.nanosToNext(clock.nanoTime())).min().orElse(Long.MAX_VALUE);
    }

    /** Whether a node is known and was not ready at the last look. Any thread may ask. */
    boolean isUnready(String node) {
        NodeHealth health = healths.get(node);
        return health != null && health.ready() != null && !NodeHealth.isTrue(health.ready());
    }
}
