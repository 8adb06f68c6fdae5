package dev.wheelhouse.controllers.node;

import java.util.List;
import java.util.Map;

import io.kubernetes.client.openapi.models.V1Node;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.IdleController;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controllers.AddressRange;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.workqueue.RateLimits;

/**
 * Gives each node a range of addresses for its pods, and one of each family in a dual-stack cluster (upstream:
 * {@code pkg/controller/nodeipam}, with the allocator {@code RangeAllocator}).
 *
 * <p>Upstream keeps the first range of a node for which there is no second one. Here it is free again.
 */
public final class NodeIpamController extends ObjectController<V1Node> {
    public static final String NAME = "node-ipam-controller";

    private static final int WORKERS = 30;
    /** The most attempts to write the ranges of a node, before they are given back. */
    private static final int ATTEMPTS = 3;

    private final NodeRanges ranges;
    private boolean knowsUsedRanges;

    private NodeIpamController(ControllerContext context) {
        super(NAME, "cidrAllocator", context, RateLimits.CONTROLLER, WORKERS, ResourceType.NODES, V1Node.class);
        ranges = new NodeRanges(context.options().get(ControllerOptions.NodeIpam.DEFAULTS), metrics());
        watch(primary).first(change -> {
            if (change.isDeletion()) {
                ranges.release(change.object());
            }
        }).enqueue(ObjectKey::of);
    }

    /**
     * The controller if {@link ControllerOptions.NodeIpam#allocateNodeCidrs} is set, else one that does nothing.
     *
     * @throws IllegalArgumentException if the options do not fit together
     */
    public static Controller of(ControllerContext context) {
        return context.options().get(ControllerOptions.NodeIpam.DEFAULTS).allocateNodeCidrs()
                ? new NodeIpamController(context)
                : new IdleController(NAME);
    }

    /** @throws IllegalArgumentException if the options do not fit together; the message names them */
    public static void check(ControllerOptions.NodeIpam options) {
        if (options.allocateNodeCidrs()) {
            NodeRanges.sets(options);
            options.serviceClusterIpRange().forEach(AddressRange::of);
        }
    }

    @Override
    protected Result sync(ObjectKey key, V1Node node, SyncRun run) {
        learnUsedRanges();
        if (node.getMetadata().getDeletionTimestamp() != null) {
            return Result.done();
        }
        if (!NodeRanges.of(node).isEmpty()) {
            return occupy(node);
        }
        // A plan names the next free ranges and takes none.
        List<String> free = run.writes() ? ranges.allocate(node) : ranges.next();
        if (free == null) {
            report(node, "CIDRNotAvailable", run);
            return Result.retry(new IllegalStateException(
                    "the cluster's ranges have no free part for the node " + key.name()));
        }
        return assign(key, node, free, run);
    }

    /** Marks the ranges of all nodes as used, before the first one is given away. A plan does so, too. */
    private synchronized void learnUsedRanges() {
        if (!knowsUsedRanges) {
            primary.getIndexer().list().forEach(this::occupy);
            knowsUsedRanges = true;
        }
    }

    private Result occupy(V1Node node) {
        try {
            ranges.occupy(node);
            return Result.done();
        } catch (IllegalArgumentException e) {
            return Result.terminal(String.valueOf(e.getMessage()));
        }
    }

    private Result assign(ObjectKey key, V1Node node, List<String> allocated, SyncRun run) {
        Map<String, Object> patch = Map.of("metadata", Map.of("uid", String.valueOf(node.getMetadata().getUid())),
                "spec", Map.of("podCIDR", allocated.getFirst(), "podCIDRs", allocated));
        List<Action> write = List.of(new Action.Patch(ResourceType.NODES, key, "", PatchType.STRATEGIC_MERGE,
                ModelJson.write(patch), "its pods need addresses"));
        Outcome outcome = run.execute(write);
        for (int attempt = 1; outcome.error() != null && attempt < ATTEMPTS; attempt++) {
            outcome = run.execute(write);
        }
        KubeApiException error = outcome.error();
        if (error != null) {
            report(node, "CIDRAssignmentFailed", run);
        }
        if (error != null && !error.isUnknownOutcome()) {
            ranges.giveBack(node, allocated);
        }
        return outcome.toResult();
    }

    private static void report(V1Node node, String reason, SyncRun run) {
        run.execute(List.of(new Action.Event(ResourceType.NODES, node, EventRecorder.NORMAL, reason,
                "Node " + node.getMetadata().getName() + " status is now: " + reason)));
    }
}
