/**
 * The metrics APIs of the embedded server: {@code metrics.k8s.io} for nodes and pods, {@code custom.metrics.k8s.io} for
 * any object, {@code external.metrics.k8s.io} for namespaces. No process runs behind a hollow pod, so annotations say
 * the values; without annotations, pods use half of their requests. Start with
 * {@link dev.wheelhouse.apiserver.metrics.MetricsApis}, which answers requests; {@code Load} is one annotation. Every
 * answer is computed from the stored objects and the time, so the package has no state.
 */
@NullMarked
package dev.wheelhouse.apiserver.metrics;

import org.jspecify.annotations.NullMarked;
