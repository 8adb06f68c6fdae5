package dev.wheelhouse.controllers.service;

import java.util.HashMap;
import java.util.Map;

import io.kubernetes.client.openapi.models.V1EndpointSlice;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Attempt;
import dev.wheelhouse.controller.ActionExecutor.Outcome;

import static dev.wheelhouse.api.Absent.orZero;

/**
 * The generations of the slices that a controller has written, which tell its own changes from those of others
 * (upstream: {@code staging/src/k8s.io/endpointslice/util/endpointslice_tracker.go}). Upstream does not notice that
 * others delete a slice that it has not written since its start; here each such deletion counts. Thread safe.
 */
final class SliceTracker {
    private static final long DELETED = -1;

    private final Map<ObjectKey, Map<String, Long>> generations = new HashMap<>();

    /** Records the writes of a sync. */
    synchronized void wrote(ObjectKey service, Outcome outcome) {
        for (Attempt attempt : outcome.attempts()) {
            if (attempt.answer() instanceof V1EndpointSlice slice) {
                saw(service, slice);
            } else if (attempt.done() && attempt.write() instanceof Action.Delete delete) {
                of(service).put(String.valueOf(delete.deletion().uid()), DELETED);
            }
        }
    }

    /** Records that a slice is as the controller wants it. */
    synchronized void saw(ObjectKey service, V1EndpointSlice slice) {
        of(service).put(uid(slice), generation(slice));
    }

    private Map<String, Long> of(ObjectKey service) {
        return generations.computeIfAbsent(service, s -> new HashMap<>());
    }

    /** Whether somebody else has changed a slice since the controller wrote it. */
    synchronized boolean isChangedByOthers(ObjectKey service, V1EndpointSlice slice) {
        return generation(slice) > generations.getOrDefault(service, Map.of()).getOrDefault(uid(slice),
                Long.MIN_VALUE);
    }

    /** Whether somebody else has deleted a slice. The slice is forgotten. */
    synchronized boolean isDeletedByOthers(ObjectKey service, V1EndpointSlice slice) {
        Map<String, Long> known = generations.get(service);
        Long generation = known == null ? null : known.remove(uid(slice));
        return generation == null || generation != DELETED;
    }

    synchronized void forget(ObjectKey service) {
        generations.remove(service);
    }

    private static String uid(V1EndpointSlice slice) {
        return String.valueOf(slice.getMetadata().getUid());
    }

    private static long generation(V1EndpointSlice slice) {
        V1ObjectMeta meta = slice.getMetadata();
        return orZero(meta.getGeneration());
    }
}
