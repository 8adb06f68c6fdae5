package dev.wheelhouse.controllers.node;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1NodeCondition;
import io.kubernetes.client.openapi.models.V1NodeStatus;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.controllers.pods.Nodes;
import dev.wheelhouse.runtime.Durations;

/**
 * The signs of life of a node that a controller has seen (upstream: {@code tryUpdateNodeHealth} in
 * {@code pkg/controller/nodelifecycle/node_lifecycle_controller.go}). A node lives if its kubelet renews the Lease or
 * writes a new heartbeat. The times of the node's own clock do not count, because it may be wrong.
 *
 * @param ready the condition Ready that was seen last; null if there was none
 * @param probe the time of the last sign of life, in nanoseconds of {@link dev.wheelhouse.runtime.Clock#nanoTime}
 * @param lease the Lease that was seen last; null if none was seen since the last heartbeat
 */
record NodeHealth(@Nullable V1NodeCondition ready, long probe, @Nullable V1Lease lease) {
    static final String READY = "Ready";

    /** The conditions that kubelets write. */
    private static final List<String> OF_KUBELETS = List.of(READY, "MemoryPressure", "DiskPressure",
            "PIDPressure");
    private static final String UNKNOWN = "Unknown";

    static boolean isTrue(@Nullable V1NodeCondition condition) {
        return condition != null && "True".equals(condition.getStatus());
    }

    static String name(V1Node node) {
        return String.valueOf(node.getMetadata().getName());
    }

    /**
     * The result of looking at a node.
     *
     * @param health what is known now
     * @param observed the status of the condition Ready as it was found; Unknown if there was none
     * @param current the condition Ready as it is, or is after the write of {@code changed}; null if there is none
     * @param changed the node with the status that has to be written; null if there is nothing to write
     */
    record Observation(NodeHealth health, String observed, @Nullable V1NodeCondition current,
            @Nullable V1Node changed) {}

    /**
     * Looks at a node. A pure function.
     *
     * @param before what was known; null for a node that is new to the controller
     * @param ticks the present time, in the unit of {@link #probe}
     */
    static Observation observe(@Nullable NodeHealth before, V1Node node, @Nullable V1Lease lease,
            ControllerOptions.NodeLifecycle options, Instant now, long ticks) {
        V1NodeCondition ready = Nodes.condition(node, READY);
        NodeHealth health = renewed(refreshed(before, node, ready, now, ticks), before, lease, ticks);
        Duration grace = ready == null ? options.startupGracePeriod() : options.monitorGracePeriod();
        String observed = ready == null ? UNKNOWN : ready.getStatus();
        if (ticks - health.probe <= grace.toNanos()) {
            return new Observation(health, observed, ready, null);
        }
        V1Node changed = unknown(node, now);
        V1NodeCondition current = Nodes.condition(changed, READY);
        return new Observation(health, observed, current, Objects.equals(ready, current) ? null : changed);
    }

    /** The health after a look at the heartbeat. A new heartbeat is a sign of life. */
    private static NodeHealth refreshed(@Nullable NodeHealth before, V1Node node, @Nullable V1NodeCondition ready,
            Instant now, long ticks) {
        if (ready == null) {
            return before != null
                    ? new NodeHealth(null, before.probe, before.lease)
                    : new NodeHealth(null, ticks - Math.min(Long.MAX_VALUE / 2,
                            Durations.saturatedNanos(Duration.between(created(node, now), now))), null);
        }
        return before != null && before.ready != null
                && Objects.equals(before.ready.getLastHeartbeatTime(), ready.getLastHeartbeatTime())
                        ? before
                        : new NodeHealth(ready, ticks, null);
    }

    private static Instant created(V1Node node, Instant now) {
        OffsetDateTime created = node.getMetadata().getCreationTimestamp();
        return created == null ? now : created.toInstant();
    }

    /** The health after a look at the Lease. A renewal is a sign of life. */
    private static NodeHealth renewed(NodeHealth health, @Nullable NodeHealth before, @Nullable V1Lease lease,
            long ticks) {
        OffsetDateTime known = before == null || before.lease == null ? null : renewal(before.lease);
        boolean renewed = lease != null && (before == null || before.lease == null
                || (known != null && renewal(lease) != null && known.isBefore(renewal(lease))));
        return renewed ? new NodeHealth(health.ready, ticks, lease) : health;
    }

    private static @Nullable OffsetDateTime renewal(V1Lease lease) {
        return lease.getSpec() == null ? null : lease.getSpec().getRenewTime();
    }

    /** A copy of the node on which nothing is known of the conditions of its kubelet. */
    private static V1Node unknown(V1Node node, Instant now) {
        V1Node changed = ModelJson.copy(node);
        if (changed.getStatus() == null) {
            changed.setStatus(new V1NodeStatus());
        }
        OffsetDateTime since = Durations.wholeSeconds(now);
        for (String type : OF_KUBELETS) {
            V1NodeCondition condition = Nodes.condition(changed, type);
            if (condition == null) {
                changed.getStatus().addConditionsItem(new V1NodeCondition().type(type).status(UNKNOWN)
                        .reason("NodeStatusNeverUpdated").message("Kubelet never posted node status.")
                        .lastHeartbeatTime(node.getMetadata().getCreationTimestamp()).lastTransitionTime(since));
            } else if (!UNKNOWN.equals(condition.getStatus())) {
                condition.status(UNKNOWN).reason("NodeStatusUnknown").message("Kubelet stopped posting node status.")
                        .lastTransitionTime(since);
            }
        }
        return changed;
    }

    /** The same signs of life after the controller itself has written a condition Ready. */
    NodeHealth written(@Nullable V1NodeCondition current, @Nullable V1Lease seen) {
        return new NodeHealth(current, probe, seen);
    }

    /** The same health with a new sign of life. */
    NodeHealth revived(long ticks) {
        return new NodeHealth(ready, ticks, lease);
    }
}
