package dev.wheelhouse.controllers.service;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Endpoint;
import io.kubernetes.client.openapi.models.V1EndpointSlice;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Puts the endpoints of one set of ports into slices with few writes (upstream: {@code reconcileByPortMapping} in
 * {@code staging/src/k8s.io/endpointslice/reconciler.go}). Endpoints stay in their slices. New ones fill the slices
 * that change anyway, the fullest first, then one unchanged slice that they fit into, then new slices.
 *
 * @param slices the slices to keep, with their endpoints, new ones included
 * @param emptied the slices that no wanted endpoint is in
 * @param added the number of endpoints that no slice had
 * @param removed the number of endpoints that slices lost
 */
record SlicePacking(List<SliceDraft> slices, List<V1EndpointSlice> emptied, int added, int removed) {
    /**
     * @param existing the slices of these ports
     * @param wanted the endpoints that the slices should have
     * @param labels the labels of slices that are written
     * @param relabel whether a slice has to be written because of its labels
     * @param most the most endpoints of a slice
     * @param fresh makes a new slice
     */
    static SlicePacking of(List<V1EndpointSlice> existing, Map<EndpointId, V1Endpoint> wanted,
            Map<String, String> labels, Predicate<V1EndpointSlice> relabel, int most, Supplier<SliceDraft> fresh) {
        Map<EndpointId, V1Endpoint> left = new LinkedHashMap<>(wanted);
        List<SliceDraft> slices = new ArrayList<>();
        List<V1EndpointSlice> emptied = new ArrayList<>();
        int removed = 0;
        for (V1EndpointSlice slice : existing) {
            List<V1Endpoint> before = orEmpty(slice.getEndpoints());
            List<V1Endpoint> kept = new ArrayList<>();
            boolean changed = false;
            for (V1Endpoint endpoint : before) {
                V1Endpoint now = left.remove(EndpointId.of(endpoint));
                if (now != null) {
                    kept.add(now);
                    changed |= !EndpointId.areEqual(now, endpoint);
                }
            }
            removed += before.size() - kept.size();
            changed |= kept.size() < before.size();
            if (changed && kept.isEmpty()) {
                emptied.add(slice);
                continue;
            }
            SliceDraft draft = SliceDraft.of(slice);
            if (changed) {
                draft.setEndpoints(kept);
            }
            if (changed || relabel.test(slice)) {
                draft.setLabels(labels);
            }
            slices.add(draft);
        }
        int added = left.size();
        fill(slices, left, most, fresh);
        return new SlicePacking(slices, emptied, added, removed);
    }

    private static void fill(List<SliceDraft> slices, Map<EndpointId, V1Endpoint> left, int most,
            Supplier<SliceDraft> fresh) {
        Iterator<V1Endpoint> endpoints = left.values().iterator();
        int remaining = left.size();
        List<SliceDraft> changing = slices.stream().filter(SliceDraft::isToWrite)
                .sorted(Comparator.comparingInt(SliceDraft::size).reversed()).toList();
        for (SliceDraft slice : changing) {
            remaining -= move(endpoints, slice, most);
        }
        while (endpoints.hasNext()) {
            SliceDraft slice = remaining < most ? closest(slices, remaining, most) : null;
            if (slice == null) {
                slice = fresh.get();
                slices.add(slice);
            }
            remaining -= move(endpoints, slice, most);
        }
    }

    private static int move(Iterator<V1Endpoint> endpoints, SliceDraft slice, int most) {
        int moved = 0;
        for (; endpoints.hasNext() && slice.size() < most; moved++) {
            slice.add(endpoints.next());
        }
        return moved;
    }

    /** The unchanged slice that is closest to full with these endpoints; null if they fit into none. */
    private static @Nullable SliceDraft closest(List<SliceDraft> slices, int endpoints, int most) {
        return slices.stream().filter(slice -> !slice.isToWrite() && slice.size() + endpoints <= most)
                .max(Comparator.comparingInt(SliceDraft::size)).orElse(null);
    }
}
