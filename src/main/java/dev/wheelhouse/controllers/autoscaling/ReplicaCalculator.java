package dev.wheelhouse.controllers.autoscaling;

import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToLongFunction;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;
import io.kubernetes.client.openapi.models.V1PodStatus;

import dev.wheelhouse.controllers.ControllerOptions.HorizontalPodAutoscaler;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.runtime.Durations;

/**
 * Computes the replicas that one metric asks for (upstream: {@code replica_calculator.go}). Pure functions.
 *
 * @param pods the pods of the target
 * @param replicas the replicas that the target asks for now
 * @param statusReplicas the replicas that the target has now
 */
record ReplicaCalculator(List<V1Pod> pods, int replicas, int statusReplicas, Tolerance tolerance,
        HorizontalPodAutoscaler options, Instant now) {

    /**
     * The replicas that a metric asks for.
     *
     * @param milli the current value in thousandths; an average for a target that is an average
     * @param utilization the current utilization in percent; 0 for other targets
     */
    record Proposal(int replicas, long milli, int utilization) {}

    /** The fractions by which the usage may be below or above the target without a change of the replicas. */
    record Tolerance(double down, double up) {
        boolean allows(double ratio) {
            return 1 - down <= ratio && ratio <= 1 + up;
        }
    }

    /** The usage of some pods: its ratio to the target, its average in thousandths, and its percentage of requests. */
    private record Usage(double ratio, long milli, int utilization) {}

    /**
     * The replicas for a target in percent of the pods' requests.
     *
     * @param container the container that is meant; null for whole pods
     */
    Proposal forUtilization(Map<String, PodMetric> metrics, String resource, @Nullable String container, int target) {
        Groups groups = group(metrics, resource);
        Map<String, Long> requests = new HashMap<>();
        pods.forEach(pod -> requests.put(name(pod), PodRequests.milli(pod, resource, container)));
        int assumed = Math.max(100, target);
        return proposal(groups, measured -> utilization(measured, requests, target),
                pod -> requests.getOrDefault(pod, 0L) * assumed / 100);
    }

    /**
     * The replicas for a target that is an average of pods.
     *
     * @param resource the name of the resource; empty for a metric that is none
     * @param target thousandths
     */
    Proposal forAverage(Map<String, PodMetric> metrics, String resource, long target) {
        return proposal(group(metrics, resource), measured -> average(measured, target), pod -> target);
    }

    /** The replicas for a target of a value that the pods share: that value grows with the load of each pod. */
    Proposal forValue(long value, long target) {
        double ratio = (double) value / target;
        if (replicas == 0) {
            return new Proposal(ceiling(ratio), value, 0);
        }
        if (tolerance.allows(ratio)) {
            return new Proposal(replicas, value, 0);
        }
        requirePods();
        long ready = pods.stream().filter(pod -> Pods.phase(pod).equals("Running") && Pods.isReady(pod)).count();
        return new Proposal(ceiling(ratio * ready), value, 0);
    }

    /** The replicas for a target that is the share of each pod in a value. */
    Proposal forValuePerPod(long value, long target) {
        double ratio = value / ((double) target * statusReplicas);
        int wanted = tolerance.allows(ratio) ? statusReplicas : ceiling((double) value / target);
        long share = value == Long.MAX_VALUE ? value : (long) Math.ceil((double) value / statusReplicas);
        return new Proposal(wanted, share, 0);
    }

    private static Usage utilization(Map<String, Long> measured, Map<String, Long> requests, int target) {
        long used = 0;
        long requested = 0;
        int counted = 0;
        for (Map.Entry<String, Long> pod : measured.entrySet()) {
            Long request = requests.get(pod.getKey());
            if (request != null) {
                used += pod.getValue();
                requested += request;
                counted++;
            }
        }
        if (requested == 0) {
            throw new MetricsException("no metrics returned matched known pods");
        }
        int percent = (int) (used * 100 / requested);
        return new Usage((double) percent / target, used / counted, percent);
    }

    private static Usage average(Map<String, Long> measured, long target) {
        long average = measured.values().stream().mapToLong(Long::longValue).sum() / measured.size();
        return new Usage((double) average / target, average, 0);
    }

    /**
     * Pods without a metric count as if they were at the target before the replicas are lowered, and as if they were
     * idle before they are raised. Pods that are not ready count as idle before the replicas are raised.
     */
    private Proposal proposal(Groups groups, Function<Map<String, Long>, Usage> usageOf,
            ToLongFunction<String> atTarget) {
        Usage usage = usageOf.apply(groups.measured);
        boolean up = usage.ratio > 1;
        boolean withUnready = up && !groups.unready.isEmpty();
        if (!withUnready && groups.missing.isEmpty()) {
            return tolerance.allows(usage.ratio)
                    ? unchanged(usage)
                    : new Proposal(ceiling(usage.ratio * groups.ready), usage.milli, usage.utilization);
        }
        Map<String, Long> assumed = new HashMap<>(groups.measured);
        if (usage.ratio != 1) {
            groups.missing.forEach(pod -> assumed.put(pod, up ? 0 : atTarget.applyAsLong(pod)));
        }
        if (withUnready) {
            groups.unready.forEach(pod -> assumed.put(pod, 0L));
        }
        double ratio = usageOf.apply(assumed).ratio;
        int wanted = ceiling(ratio * assumed.size());
        boolean turned = (usage.ratio < 1 && ratio > 1) || (up && ratio < 1) || (ratio < 1 && wanted > replicas)
                || (ratio > 1 && wanted < replicas);
        return tolerance.allows(ratio) || turned
                ? unchanged(usage)
                : new Proposal(wanted, usage.milli, usage.utilization);
    }

    private Proposal unchanged(Usage usage) {
        return new Proposal(replicas, usage.milli, usage.utilization);
    }

    /** Rounds up; the nearest int if the value is out of range. */
    private static int ceiling(double value) {
        return (int) Math.ceil(value);
    }

    /**
     * The pods by what is known of them.
     *
     * @param measured the metrics that count, in thousandths
     * @param ready the number of the target's pods among these
     */
    private record Groups(Map<String, Long> measured, int ready, Set<String> unready, Set<String> missing) {}

    private Groups group(Map<String, PodMetric> metrics, String resource) {
        requirePods();
        Map<String, Long> measured = new HashMap<>();
        metrics.forEach((name, metric) -> measured.put(name, metric.milli()));
        Set<String> unready = new HashSet<>();
        Set<String> missing = new HashSet<>();
        int ready = 0;
        for (V1Pod pod : pods) {
            String name = name(pod);
            String phase = Pods.phase(pod);
            PodMetric metric = metrics.get(name);
            if (Pods.isDeleting(pod) || phase.equals("Failed")) {
                measured.remove(name);
            } else if (phase.equals("Pending")
                    || (metric != null && resource.equals("cpu") && isUnready(pod, metric))) {
                measured.remove(name);
                unready.add(name);
            } else if (metric == null) {
                missing.add(name);
            } else {
                ready++;
            }
        }
        if (measured.isEmpty()) {
            throw new MetricsException("did not receive metrics for targeted pods (pods might be unready)");
        }
        return new Groups(measured, ready, unready, missing);
    }

    /** Whether the CPU usage of a pod is not that of its normal work: the pod starts, or has never been ready. */
    private boolean isUnready(V1Pod pod, PodMetric metric) {
        V1PodStatus status = pod.getStatus();
        V1PodCondition ready = Pods.condition(pod, "Ready");
        if (ready == null || status == null || status.getStartTime() == null) {
            return true;
        }
        Instant started = status.getStartTime().toInstant();
        Instant changed = ready.getLastTransitionTime() == null
                ? Instant.MIN
                : ready.getLastTransitionTime().toInstant();
        boolean isFalse = "False".equals(ready.getStatus());
        return started.plus(options.cpuInitializationPeriod()).isAfter(now)
                ? isFalse || Durations.before(metric.at(), metric.window()).isBefore(changed)
                : isFalse && started.plus(options.initialReadinessDelay()).isAfter(changed);
    }

    private void requirePods() {
        if (pods.isEmpty()) {
            throw new MetricsException("no pods returned by selector while calculating replica count");
        }
    }

    private static String name(V1Pod pod) {
        return String.valueOf(pod.getMetadata().getName());
    }
}
