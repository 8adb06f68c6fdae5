package dev.wheelhouse.controllers.autoscaling;

import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscaler;
import io.kubernetes.client.openapi.models.V2MetricSpec;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.controller.Measure;
import dev.wheelhouse.controllers.autoscaling.AutoscalerDecisions.Decision;
import dev.wheelhouse.controllers.autoscaling.AutoscalerView.Target;

import static dev.wheelhouse.api.Absent.orZero;

/**
 * The metrics of the autoscalers' controller (upstream: {@code pkg/controller/podautoscaler/monitor}). The label
 * {@code action} is {@code scale_up}, {@code scale_down} or {@code none}; the label {@code error} is {@code spec},
 * {@code internal} or {@code none}. Upstream keeps the desired replicas of an autoscaler that is gone; here they go
 * with it.
 */
record AutoscalerMetrics(ControllerMetrics metrics) {
    private static final String PREFIX = "horizontal_pod_autoscaler_controller_";
    private static final Measure RECONCILIATIONS = Measure.counter(PREFIX + "reconciliations_total",
            "Looks at autoscalers", "action", "error");
    private static final Measure RECONCILIATION = Measure.histogram(PREFIX + "reconciliation_duration_seconds",
            "Duration of looks at autoscalers in seconds", 0.001, 15, "action", "error");
    private static final Measure COMPUTATIONS = Measure.counter(PREFIX + "metric_computation_total",
            "Metrics of autoscalers that were read and computed", "action", "error", "metric_type");
    private static final Measure COMPUTATION = Measure.histogram(PREFIX + "metric_computation_duration_seconds",
            "Duration of reading one metric of an autoscaler in seconds", 0.001, 15, "action", "error",
            "metric_type");
    private static final Measure AUTOSCALERS = Measure.gauge(PREFIX + "num_horizontal_pod_autoscalers",
            "Autoscalers");
    private static final Measure DESIRED = Measure.gauge(PREFIX + "desired_replicas",
            "Replicas that the target of an autoscaler gets", "namespace", "hpa_name");

    void count(int autoscalers) {
        metrics.record(AUTOSCALERS, autoscalers);
    }

    void gone(ObjectKey autoscaler) {
        metrics.remove(DESIRED, autoscaler.namespace(), autoscaler.name());
    }

    /** @param change the replicas that the target gained or lost; 0 if its scale was not written */
    void reconciled(int change, String error, long nanos) {
        metrics.record(RECONCILIATIONS, 1, action(change), error);
        metrics.record(RECONCILIATION, nanos / 1e9, action(change), error);
    }

    void desired(ObjectKey autoscaler, int replicas) {
        metrics.record(DESIRED, replicas, autoscaler.namespace(), autoscaler.name());
    }

    /** Counts the metrics of one decision. */
    void computed(V2HorizontalPodAutoscaler autoscaler, Target target, Decision decision) {
        if (decision.proposals() == null || !(target instanceof Target.Selected selected)) {
            return;
        }
        Integer current = autoscaler.getStatus() == null ? null : autoscaler.getStatus().getCurrentReplicas();
        int i = 0;
        for (int proposal : decision.proposals().each()) {
            V2MetricSpec spec = autoscaler.getSpec().getMetrics().get(i);
            boolean failed = proposal == Proposals.NONE;
            String action = failed ? "none" : action(proposal - orZero(current));
            String error = failed ? "internal" : "none";
            metrics.record(COMPUTATIONS, 1, action, error, spec.getType());
            metrics.record(COMPUTATION, selected.nanos().get(i) / 1e9, action, error, spec.getType());
            i++;
        }
    }

    private static String action(int change) {
        return change > 0 ? "scale_up" : change < 0 ? "scale_down" : "none";
    }
}
