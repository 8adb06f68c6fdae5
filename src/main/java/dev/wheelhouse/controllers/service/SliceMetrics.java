package dev.wheelhouse.controllers.service;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Attempt;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.controller.Measure;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * The metrics of a controller of slices (upstream: {@code staging/src/k8s.io/endpointslice/metrics},
 * {@code pkg/controller/endpointslicemirroring/metrics}). Upstream counts one type of addresses of a Service that has
 * two; here both count. Thread safe.
 */
final class SliceMetrics {
    private static final Measure SYNCS = Measure.counter("endpoint_slice_controller_syncs_total",
            "Syncs of the slices of Services", "result");
    private static final Measure CHANGED = new Measure(Measure.Kind.HISTOGRAM,
            "endpoint_slice_controller_endpointslices_changed_per_sync", "Slices that a sync changes",
            List.of("topology", "traffic_distribution"),
            List.of(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0));
    private static final Measure DISTRIBUTIONS = Measure.gauge(
            "endpoint_slice_controller_services_count_by_traffic_distribution",
            "Services by the distribution of traffic that they want", "traffic_distribution");
    private static final Measure UPDATED = Measure.histogram(
            "endpoint_slice_mirroring_controller_endpoints_updated_per_sync", "Endpoints that a sync changes", 2, 15);
    private static final Measure SKIPPED = Measure.histogram(
            "endpoint_slice_mirroring_controller_addresses_skipped_per_sync",
            "Addresses that a sync leaves out, because they are no IP addresses or too many", 2, 15);
    private static final Measure DURATION = Measure.histogram(
            "endpoint_slice_mirroring_controller_endpoints_sync_duration", "Duration of syncs in seconds", 0.001, 15);

    private final ControllerMetrics metrics;
    private final Measure added;
    private final Measure removed;
    private final Measure endpoints;
    private final Measure slices;
    private final Measure ideal;
    private final Measure changes;
    private final Map<ObjectKey, SliceCounts> counts = new HashMap<>();
    private final Map<ObjectKey, String> distributions = new HashMap<>();

    private SliceMetrics(String prefix, ControllerMetrics metrics) {
        this.metrics = metrics;
        added = Measure.histogram(prefix + "endpoints_added_per_sync", "Endpoints that a sync adds", 2, 15);
        removed = Measure.histogram(prefix + "endpoints_removed_per_sync", "Endpoints that a sync removes", 2, 15);
        endpoints = Measure.gauge(prefix + "endpoints_desired", "Endpoints that slices should have");
        slices = Measure.gauge(prefix + "num_endpoint_slices", "Slices");
        ideal = Measure.gauge(prefix + "desired_endpoint_slices", "Slices that would do if all were full");
        changes = Measure.counter(prefix + "changes_total", "Writes of slices", "operation");
    }

    static SliceMetrics ofServices(ControllerMetrics metrics) {
        return new SliceMetrics("endpoint_slice_controller_", metrics);
    }

    static SliceMetrics ofMirrors(ControllerMetrics metrics) {
        return new SliceMetrics("endpoint_slice_mirroring_controller_", metrics);
    }

    /** Counts the endpoints of one type of addresses that a sync adds and removes. */
    void changes(SliceCounts change) {
        metrics.record(added, change.added());
        metrics.record(removed, change.removed());
    }

    /** Counts the writes that succeeded. */
    void wrote(Outcome outcome) {
        for (Attempt attempt : outcome.attempts()) {
            if (attempt.done()) {
                metrics.record(changes, 1, attempt.write() instanceof Action.Create
                        ? "create"
                        : attempt.write() instanceof Action.Update ? "update" : "delete");
            }
        }
    }

    /**
     * Counts the slices that a sync changes.
     *
     * @param topology whether the Service wants hints by topology
     * @param distribution the distribution that counts; null for none
     */
    void changed(int count, boolean topology, @Nullable String distribution) {
        metrics.record(CHANGED, count, topology ? "Auto" : "Disabled", orEmpty(distribution));
    }

    void synced(boolean succeeded) {
        metrics.record(SYNCS, 1, succeeded ? "success" : "error");
    }

    /** Counts a sync of mirrored Endpoints. */
    void mirrored(int updated, int skipped) {
        metrics.record(UPDATED, updated);
        metrics.record(SKIPPED, skipped);
    }

    void took(long nanos) {
        metrics.record(DURATION, nanos / 1e9);
    }

    /** Replaces the counts of a Service; null if it is gone. */
    synchronized void count(ObjectKey service, @Nullable SliceCounts now) {
        SliceCounts before = now == null ? counts.remove(service) : counts.put(service, now);
        if (before == null ? now == null : now != null && before.isSame(now)) {
            return;
        }
        metrics.record(endpoints, counts.values().stream().mapToInt(SliceCounts::endpoints).sum());
        metrics.record(slices, counts.values().stream().mapToInt(SliceCounts::slices).sum());
        metrics.record(ideal, counts.values().stream().mapToInt(SliceCounts::ideal).sum());
    }

    /** Replaces the distribution that a Service wants; null for none. */
    synchronized void distribute(ObjectKey service, @Nullable String distribution) {
        String before = distribution == null
                ? distributions.remove(service)
                : distributions.put(service, distribution);
        if (before != null && !before.equals(distribution)) {
            recordServices(before);
        }
        if (distribution != null && !distribution.equals(before)) {
            recordServices(distribution);
        }
    }

    private void recordServices(String distribution) {
        metrics.record(DISTRIBUTIONS, distributions.values().stream().filter(distribution::equals).count(),
                distribution);
    }
}
