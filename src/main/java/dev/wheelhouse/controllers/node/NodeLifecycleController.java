package dev.wheelhouse.controllers.node;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.controllers.node.NodeTaints.NoExecuteChange;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.workqueue.RateLimits;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * Says which nodes are not ready, and keeps pods away from them (upstream:
 * {@code pkg/controller/nodelifecycle/node_lifecycle_controller.go}). It has three queues:
 *
 * <ul>
 * <li>nodes, whose taints and labels {@link NodeTaints} decides,
 * <li>pods that were just bound, which cannot be ready on a node that is not,
 * <li>rounds: every {@link ControllerOptions.NodeLifecycle#monitorPeriod} a look at all nodes by {@link NodeMonitor},
 * and in between the taints that evict pods, at the rates of {@link ZoneStates}.
 * </ul>
 */
public final class NodeLifecycleController extends ObjectController<V1Node> {
    public static final String NAME = "node-lifecycle-controller";

    private static final String EVENT_SOURCE = "node-controller";
    private static final int WORKERS = 8;
    /** The time between a look at the nodes and the first taint that evicts, and between two such taints. */
    private static final Duration GRANT_PERIOD = Duration.ofMillis(100);

    private final SharedIndexInformer<V1Pod> pods;
    private final NodeMonitor monitor;
    private final NodeLifecycleMetrics metrics;
    private final Duration period;
    private final WorkQueue<ObjectKey> boundPods;
    private final WorkQueue<Round> rounds;
    private final long began;
    /** Whether no look is due, because there are no nodes. */
    private volatile boolean resting;
    /** The changes of taints that the rounds want, by node. */
    private final Map<ObjectKey, NoExecuteChange> taintChanges = memory();

    private enum Round {
        LOOK, GRANT
    }

    /** Starts with a look at all nodes. */
    public NodeLifecycleController(ControllerContext context) {
        super(NAME, EVENT_SOURCE, context, RateLimits.CONTROLLER, WORKERS, ResourceType.NODES, V1Node.class);
        pods = informerFor(ResourceType.PODS, V1Pod.class);
        ControllerOptions.NodeLifecycle options = context.options().get(ControllerOptions.NodeLifecycle.DEFAULTS);
        period = options.monitorPeriod();
        metrics = new NodeLifecycleMetrics(metrics());
        // The informer of all namespaces is the one that the garbage collector uses, too.
        monitor = new NodeMonitor(primary.getIndexer(), informerFor(ResourceType.LEASES, V1Lease.class),
                new PodsOnNodes(pods.getIndexer()), context.client().resource(ResourceType.NODES, V1Node.class),
                options, clock, metrics, this::changeTaint);
        boundPods = addQueue("node_lifecycle_controller_pods", this::syncPod);
        rounds = addQueue("node_lifecycle_controller_rounds", this::round);
        watch(primary).first(change -> {
            if (change.isAddition() && resting) {
                rounds.addAfter(Round.LOOK, untilNextLook());
            }
        }).enqueue(ObjectKey::of);
        watch(pods, boundPods).onAdd().onAlter(Pods::node).when(change -> !Pods.node(change.object()).isEmpty())
                .enqueue(ObjectKey::of);
        began = clock.nanoTime();
        rounds.add(Round.LOOK);
    }

    private void changeTaint(String node, NoExecuteChange change) {
        ObjectKey key = ObjectKey.cluster(node);
        taintChanges.put(key, change);
        queue.add(key);
    }

    @Override
    protected Result sync(ObjectKey key, V1Node node, SyncRun run) {
        NoExecuteChange change = taintChanges.get(key);
        Outcome outcome = run.execute(NodeTaints.decide(node, change, clock.now()));
        if (outcome.succeeded() && change != null) {
            run.note(() -> taintChanges.remove(key, change));
            if (change == NoExecuteChange.EVICT && !outcome.written().isEmpty()) {
                run.effect(() -> metrics.evicted(Zone.of(node)));
            }
        }
        return outcome.toResult();
    }

    private Result syncPod(ObjectKey key, SyncRun run) {
        V1Pod pod = pods.get(key);
        if (pod == null || !monitor.isUnready(Pods.node(pod))) {
            return Result.done();
        }
        KubeApiException failure = PodReadiness.end(List.of(pod), clock.now(), run);
        return failure == null ? Result.done() : Result.retry(failure);
    }

    private Result round(Round round, SyncRun run) {
        if (round == Round.GRANT) {
            monitor.grant();
        } else {
            resting = monitor.round(run) == 0;
            if (!resting || primary.getIndexer().size() > 0) {
                resting = false;
                rounds.addAfter(Round.LOOK, untilNextLook());
            }
        }
        long next = monitor.nanosToGrant();
        if (next != Long.MAX_VALUE) {
            rounds.addAfter(Round.GRANT, Duration.ofNanos(Math.max(next, GRANT_PERIOD.toNanos())));
        }
        return Result.done();
    }

    /** The looks have the period's distance from the first one, whether or not there were nodes meanwhile. */
    private Duration untilNextLook() {
        return Duration.ofNanos(period.toNanos() - (clock.nanoTime() - began) % period.toNanos());
    }
}
