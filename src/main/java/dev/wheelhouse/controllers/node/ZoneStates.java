package dev.wheelhouse.controllers.node;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1NodeCondition;

import dev.wheelhouse.controllers.ControllerOptions;

/**
 * The zones of a cluster, whose states determine the rates of evictions (upstream: {@code handleDisruption} in
 * {@code pkg/controller/nodelifecycle/node_lifecycle_controller.go}). Not thread safe.
 */
final class ZoneStates {
    private static final int FEWEST_NOT_READY = 3;

    private final Map<String, Zone> zones = new TreeMap<>();
    private final ControllerOptions.NodeLifecycle options;

    /** A change between a cluster with ready nodes and one without. */
    enum Change {
        NONE,
        /** No node is ready any more. The cause may be the API server, so that nothing is evicted. */
        ALL_DISRUPTED,
        /** Some node is ready again. */
        RECOVERED
    }

    /** The number of nodes that count in a zone. */
    record Size(int ready, int notReady) {
        static Size of(List<@Nullable V1NodeCondition> conditions) {
            int ready = (int) conditions.stream().filter(NodeHealth::isTrue).count();
            return new Size(ready, conditions.size() - ready);
        }

        int all() {
            return ready + notReady;
        }

        /** @param threshold the fraction of nodes that are not ready in a zone that is partially disrupted */
        Zone.State state(double threshold) {
            if (ready == 0 && notReady > 0) {
                return Zone.State.FULL_DISRUPTION;
            }
            // Upstream compares numbers of 32 bits.
            return notReady >= FEWEST_NOT_READY && (float) notReady / all() >= (float) threshold
                    ? Zone.State.PARTIAL_DISRUPTION
                    : Zone.State.NORMAL;
        }
    }

    ZoneStates(ControllerOptions.NodeLifecycle options) {
        this.options = options;
    }

    /** The zone of a node, which is made if no node of it counts so far. */
    Zone of(V1Node node, long ticks) {
        return zones.compute(Zone.of(node), (name, known) -> known != null && known.state != null
                ? known
                : new Zone(options.evictionRate(), ticks));
    }

    Collection<Zone> all() {
        return zones.values();
    }

    /**
     * Determines the states and the rates anew.
     *
     * @param sizes the zones with nodes that count
     */
    Change update(Map<String, Size> sizes, long ticks) {
        Map<String, Zone.State> states = new TreeMap<>();
        sizes.forEach((name, size) -> states.put(name, size.state(options.unhealthyZoneThreshold())));
        boolean allAre = states.values().stream().allMatch(Zone.State.FULL_DISRUPTION::equals);
        zones.forEach((name, zone) -> zone.state = states.containsKey(name) ? zone.state : null);
        boolean allWere = zones.values().stream()
                .allMatch(zone -> zone.state == null || zone.state == Zone.State.FULL_DISRUPTION);
        if (allAre && allWere) {
            return Change.NONE;
        }
        zones.forEach((name, zone) -> {
            Zone.State next = states.get(name);
            Size size = sizes.get(name);
            if (next != null && size != null && (allAre || allWere || next != zone.state)) {
                zone.changeRate(allAre ? 0 : rate(next, size), ticks);
                zone.state = next;
            }
        });
        return allAre ? Change.ALL_DISRUPTED : allWere ? Change.RECOVERED : Change.NONE;
    }

    private double rate(Zone.State state, Size size) {
        return state != Zone.State.PARTIAL_DISRUPTION
                ? options.evictionRate()
                : size.all() > options.largeClusterSizeThreshold() ? options.secondaryEvictionRate() : 0;
    }
}
