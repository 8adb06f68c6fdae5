package dev.wheelhouse.controllers.volume;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.controller.Measure;
import dev.wheelhouse.controllers.volume.BindingStep.Operation;
import dev.wheelhouse.volumes.Volumes;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * The metrics of the binder (upstream: {@code pkg/controller/volume/persistentvolume/metrics}): the numbers of claims
 * and volumes, and the durations and failures of operations. An operation ends when a claim is bound or a volume is
 * gone. Upstream also has {@code volume_operation_total_errors}, which is deprecated. Thread safe.
 */
final class VolumeMetrics {
    private static final Measure BOUND_CLAIMS = claims("pv_collector_bound_pvc_count", "Claims that are bound");
    private static final Measure UNBOUND_CLAIMS = claims("pv_collector_unbound_pvc_count",
            "Claims that are not bound");
    private static final Measure BOUND = Measure.gauge("pv_collector_bound_pv_count", "Volumes that are bound",
            "storage_class");
    private static final Measure UNBOUND = Measure.gauge("pv_collector_unbound_pv_count",
            "Volumes that are not bound", "storage_class");
    private static final Measure VOLUMES = Measure.gauge("pv_collector_total_pv_count", "Volumes", "plugin_name",
            "volume_mode");
    private static final Measure DURATION = new Measure(Measure.Kind.HISTOGRAM, "volume_operation_total_seconds",
            "Duration of operations of drivers, from the request to the result, in seconds",
            List.of("plugin_name", "operation_name"),
            List.of(.1, .25, .5, 1., 2.5, 5., 10., 15., 25., 50., 120., 300., 600.));
    private static final Measure FAILURES = Measure.counter("volume_operation_errors_total",
            "Failures of operations of drivers", "plugin_name", "operation_name");
    private static final Measure DEFAULT_CLASSES = Measure.counter("retroactive_storageclass_total",
            "Claims that got the default class after their creation");
    private static final Measure DEFAULT_CLASS_FAILURES = Measure.counter("retroactive_storageclass_errors_total",
            "Claims that could not be given the default class");

    private final ControllerMetrics metrics;
    private final Map<Series, Integer> counts = new HashMap<>();
    private final Map<ObjectKey, Begun> operations = new ConcurrentHashMap<>();

    private record Series(Measure gauge, List<String> labels) {}

    private record Begun(String driver, String operation, Instant since) {}

    VolumeMetrics(ControllerMetrics metrics) {
        this.metrics = metrics;
    }

    private static Measure claims(String name, String help) {
        return Measure.gauge(name, help, "namespace", "storage_class", "volume_attributes_class");
    }

    /** Counts a claim in its state now instead of its state before; null if it does not exist. */
    void changed(@Nullable V1PersistentVolumeClaim before, @Nullable V1PersistentVolumeClaim after) {
        move(before == null ? List.of() : List.of(series(before)), after == null ? List.of() : List.of(series(after)));
    }

    private static Series series(V1PersistentVolumeClaim claim) {
        boolean bound = claim.getStatus() != null && "Bound".equals(claim.getStatus().getPhase());
        return new Series(bound ? BOUND_CLAIMS : UNBOUND_CLAIMS,
                List.of(String.valueOf(claim.getMetadata().getNamespace()), Volumes.classOf(claim),
                        orEmpty(claim.getSpec().getVolumeAttributesClassName())));
    }

    /** Counts a volume in its state now instead of its state before; null if it does not exist. */
    void changed(@Nullable V1PersistentVolume before, @Nullable V1PersistentVolume after) {
        move(before == null ? List.of() : series(before), after == null ? List.of() : series(after));
    }

    private static List<Series> series(V1PersistentVolume volume) {
        boolean bound = volume.getStatus() != null && "Bound".equals(volume.getStatus().getPhase());
        return List.of(
                new Series(bound ? BOUND : UNBOUND,
                        List.of(orEmpty(volume.getSpec().getStorageClassName()))),
                new Series(VOLUMES, List.of(Drivers.driverOf(volume),
                        Objects.requireNonNullElse(volume.getSpec().getVolumeMode(), "Filesystem"))));
    }

    private synchronized void move(List<Series> from, List<Series> to) {
        if (from.equals(to)) {
            return;
        }
        from.forEach(series -> add(series, -1));
        to.forEach(series -> add(series, 1));
    }

    private void add(Series series, int change) {
        int count = counts.merge(series, change, Integer::sum);
        String[] labels = series.labels().toArray(String[]::new);
        if (count == 0) {
            counts.remove(series);
            metrics.remove(series.gauge(), labels);
        } else {
            metrics.record(series.gauge(), count, labels);
        }
    }

    /** Begins an operation for a claim or volume, unless one is under way. */
    void begin(ObjectKey key, String driver, Operation operation, Instant now) {
        operations.putIfAbsent(key, new Begun(driver, operation.name().toLowerCase(Locale.ROOT), now));
    }

    /** A try of the operation has failed. Does nothing if none is under way. */
    void failed(ObjectKey key) {
        Begun begun = operations.get(key);
        if (begun != null) {
            metrics.record(FAILURES, 1, begun.driver(), begun.operation());
        }
    }

    /** The operation has succeeded. Does nothing if none is under way. */
    void end(ObjectKey key, Instant now) {
        Begun begun = operations.remove(key);
        if (begun != null) {
            metrics.record(DURATION, Duration.between(begun.since(), now).toNanos() / 1e9, begun.driver(),
                    begun.operation());
        }
    }

    /** Drops the operation of a claim that is gone. */
    void forget(ObjectKey key) {
        operations.remove(key);
    }

    void gaveDefaultClass(boolean succeeded) {
        metrics.record(DEFAULT_CLASSES, 1);
        if (!succeeded) {
            metrics.record(DEFAULT_CLASS_FAILURES, 1);
        }
    }
}
