package dev.wheelhouse.controllers.node;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Node;

import dev.wheelhouse.api.Metadata;

/**
 * The nodes of one zone that wait for a taint that evicts their pods, and the rate at which they get it (upstream:
 * {@code pkg/controller/nodelifecycle/scheduler/rate_limited_queue.go}). A node waits once, until {@link #remove} is
 * called for it. Not thread safe.
 */
final class Zone {
    /** The part of a zone's nodes that is not ready. */
    enum State {
        /** Not determined yet. */
        INITIAL,
        /** Too few nodes are not ready to suspect the zone. */
        NORMAL,
        /** So many nodes are not ready that the cause may be a common one. */
        PARTIAL_DISRUPTION,
        /** No node is ready. */
        FULL_DISRUPTION
    }

    private final Set<String> waiting = new LinkedHashSet<>();
    private final Set<String> added = new HashSet<>();
    private double rate;
    private long nextGrant;
    /** Null while no node of the zone counts. */
    @Nullable
    State state = State.INITIAL;

    /** @param rate the number of nodes a second that may be tainted */
    Zone(double rate, long ticks) {
        this.rate = rate;
        this.nextGrant = ticks;
    }

    /**
     * The name of a node's zone, which is unique over regions; empty if the node names none (upstream:
     * {@code GetZoneKey} in {@code component-helpers/node/topology/helpers.go}).
     */
    static String of(V1Node node) {
        Map<String, String> labels = Metadata.labels(node.getMetadata());
        String zone = either(labels, "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone");
        String region = either(labels, "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region");
        return region.isEmpty() && zone.isEmpty() ? "" : region + ":\0:" + zone;
    }

    private static String either(Map<String, String> labels, String first, String second) {
        String value = labels.get(first);
        return value != null ? value : labels.getOrDefault(second, "");
    }

    /** Adds a node, unless it was added before and has not been removed since. */
    void add(String node) {
        if (added.add(node)) {
            waiting.add(node);
        }
    }

    void remove(String node) {
        added.remove(node);
        waiting.remove(node);
    }

    /** Takes the node that has waited longest; null if none waits, or the rate allows none now. */
    @Nullable
    String next(long ticks) {
        if (waiting.isEmpty() || !grants(ticks)) {
            return null;
        }
        String node = waiting.iterator().next();
        waiting.remove(node);
        return node;
    }

    private boolean grants(long ticks) {
        if (rate <= 0 || ticks - nextGrant < 0) {
            return false;
        }
        nextGrant = ticks + period();
        return true;
    }

    private long period() {
        return (long) Math.ceil(1e9 / rate);
    }

    /** The nanoseconds until a waiting node may be taken; {@code Long.MAX_VALUE} if none will be. */
    long nanosToNext(long ticks) {
        return waiting.isEmpty() || rate <= 0 ? Long.MAX_VALUE : Math.max(0, nextGrant - ticks);
    }

    /** Changes the rate. If the old one allows no node now, the new one begins with a wait. */
    void changeRate(double next, long ticks) {
        if (next == rate) {
            return;
        }
        boolean granted = grants(ticks);
        rate = next;
        nextGrant = granted || next <= 0 ? ticks : ticks + period();
    }
}
