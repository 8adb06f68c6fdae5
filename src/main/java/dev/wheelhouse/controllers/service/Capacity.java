package dev.wheelhouse.controllers.service;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1EndpointAddress;
import io.kubernetes.client.openapi.models.V1EndpointSubset;

import static dev.wheelhouse.api.Absent.orNull;

/**
 * Limits the addresses of Endpoints to {@link EndpointsDecisions#CAPACITY} (upstream: {@code truncateEndpoints} in
 * {@code pkg/controller/endpoint/endpoints_controller.go}). Each subset keeps its share; ready addresses come first.
 */
final class Capacity {
    private Capacity() {}

    /** The number of addresses. */
    static int count(@Nullable List<V1EndpointSubset> subsets) {
        return subsets == null ? 0 : count(subsets, true) + count(subsets, false);
    }

    private static int count(List<V1EndpointSubset> subsets, boolean ready) {
        return subsets.stream().mapToInt(subset -> Subsets.addresses(subset, ready).size()).sum();
    }

    /** The same list if the addresses are few enough, otherwise a shorter copy. */
    static List<V1EndpointSubset> limited(List<V1EndpointSubset> subsets) {
        int ready = count(subsets, true);
        int all = count(subsets);
        if (all <= EndpointsDecisions.CAPACITY) {
            return subsets;
        }
        boolean tooManyReady = ready > EndpointsDecisions.CAPACITY;
        int room = tooManyReady ? EndpointsDecisions.CAPACITY : EndpointsDecisions.CAPACITY - ready;
        int total = tooManyReady ? ready : all - ready;
        int left = room;
        List<V1EndpointSubset> limited = new ArrayList<>();
        for (V1EndpointSubset subset : subsets) {
            List<V1EndpointAddress> addresses = Subsets.addresses(subset, tooManyReady);
            int share = (int) Math.ceil((double) addresses.size() / total * room);
            List<V1EndpointAddress> kept = addresses.subList(0, Math.min(addresses.size(), Math.min(share, left)));
            left -= kept.size();
            limited.add(new V1EndpointSubset().ports(subset.getPorts())
                    .addresses(orNull(tooManyReady ? kept : Subsets.addresses(subset, true)))
                    .notReadyAddresses(orNull(tooManyReady ? List.of() : kept)));
        }
        return limited;
    }
}
