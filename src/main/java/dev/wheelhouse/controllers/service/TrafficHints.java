package dev.wheelhouse.controllers.service;

import java.util.List;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Endpoint;
import io.kubernetes.client.openapi.models.V1EndpointHints;
import io.kubernetes.client.openapi.models.V1ForNode;
import io.kubernetes.client.openapi.models.V1ForZone;
import io.kubernetes.client.openapi.models.V1Service;

import static dev.wheelhouse.api.Absent.orNull;

/**
 * Hints by {@code spec.trafficDistribution}: each ready endpoint is for its own zone, or for its own node as well
 * (upstream: {@code staging/src/k8s.io/endpointslice/trafficdist/trafficdist.go}).
 */
final class TrafficHints {
    private static final String SAME_NODE = "PreferSameNode";
    private static final Set<String> KNOWN = Set.of("PreferClose", "PreferSameZone", SAME_NODE);

    private TrafficHints() {}

    /** The distribution that a Service wants; null if it wants none that is known. */
    static @Nullable String wanted(V1Service service) {
        String distribution = service.getSpec().getTrafficDistribution();
        return distribution != null && KNOWN.contains(distribution) ? distribution : null;
    }

    /** Gives the ready endpoints of all slices the hints of a distribution. */
    static void assign(List<SliceDraft> slices, String distribution) {
        boolean forNodes = distribution.equals(SAME_NODE);
        for (SliceDraft slice : slices) {
            if (!slice.isToWrite() && slice.endpoints().stream().allMatch(e -> !isReady(e) || isHinted(e, forNodes))) {
                continue;
            }
            slice.touch();
            for (int i = 0; i < slice.size(); i++) {
                if (isReady(slice.endpoints().get(i))) {
                    slice.setHints(i, hints(slice.endpoints().get(i), forNodes));
                }
            }
        }
    }

    /** Removes the hints of all endpoints. */
    static void remove(List<SliceDraft> slices) {
        for (SliceDraft slice : slices) {
            for (int i = 0; i < slice.size(); i++) {
                if (slice.endpoints().get(i).getHints() != null) {
                    slice.touch();
                    slice.setHints(i, null);
                }
            }
        }
    }

    static boolean isReady(V1Endpoint endpoint) {
        return endpoint.getConditions() != null && Boolean.TRUE.equals(endpoint.getConditions().getReady());
    }

    private static boolean isHinted(V1Endpoint endpoint, boolean forNodes) {
        return Objects.equals(plain(endpoint.getHints()), plain(hints(endpoint, forNodes)));
    }

    /** Hints without empty lists. */
    private static V1EndpointHints plain(@Nullable V1EndpointHints hints) {
        return new V1EndpointHints().forZones(hints == null ? null : orNull(hints.getForZones()))
                .forNodes(hints == null ? null : orNull(hints.getForNodes()));
    }

    private static @Nullable V1EndpointHints hints(V1Endpoint endpoint, boolean forNodes) {
        String zone = endpoint.getZone();
        String node = forNodes ? endpoint.getNodeName() : null;
        return zone == null && node == null
                ? null
                : new V1EndpointHints().forZones(zone == null ? null : List.of(new V1ForZone().name(zone)))
                        .forNodes(node == null ? null : List.of(new V1ForNode().name(node)));
    }

    /** The hint for one zone. */
    static V1EndpointHints forZone(String zone) {
        return new V1EndpointHints().forZones(List.of(new V1ForZone().name(zone)));
    }
}
