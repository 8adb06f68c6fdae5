/**
 * The autoscaler of pods: every 15 s it compares the metrics of each HorizontalPodAutoscaler with their targets and
 * changes the {@code scale} of the target (upstream: {@code pkg/controller/podautoscaler}). Start with
 * {@link dev.wheelhouse.controllers.autoscaling.AutoscalerController}. {@code AutoscalerDecisions} is the pure
 * decision: {@code Proposals} has the replicas that the metrics ask for, {@code ReplicaLimits} those that the bounds,
 * the policies and the stabilization windows allow. {@code ApiMetrics} reads the metrics. Recommendations and scalings
 * of the last minutes are in memory, in {@code Memory}; they are lost when the process ends.
 */
@NullMarked
package dev.wheelhouse.controllers.autoscaling;

import org.jspecify.annotations.NullMarked;
