package dev.wheelhouse.controllers.autoscaling;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V2ContainerResourceMetricStatus;
import io.kubernetes.client.openapi.models.V2CrossVersionObjectReference;
import io.kubernetes.client.openapi.models.V2ExternalMetricStatus;
import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscaler;
import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscalerBehavior;
import io.kubernetes.client.openapi.models.V2MetricIdentifier;
import io.kubernetes.client.openapi.models.V2MetricSpec;
import io.kubernetes.client.openapi.models.V2MetricStatus;
import io.kubernetes.client.openapi.models.V2MetricTarget;
import io.kubernetes.client.openapi.models.V2MetricValueStatus;
import io.kubernetes.client.openapi.models.V2ObjectMetricStatus;
import io.kubernetes.client.openapi.models.V2PodsMetricStatus;
import io.kubernetes.client.openapi.models.V2ResourceMetricStatus;

import dev.wheelhouse.controllers.GoSelectors;
import dev.wheelhouse.controllers.autoscaling.AutoscalerView.Target.Selected;
import dev.wheelhouse.controllers.autoscaling.ReplicaCalculator.Proposal;
import dev.wheelhouse.controllers.autoscaling.ReplicaCalculator.Tolerance;
import dev.wheelhouse.facts.Quantities;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * The replicas that all metrics of an autoscaler ask for together: the most that any of them asks for (upstream:
 * {@code computeReplicasForMetrics} in {@code horizontal.go}).
 *
 * @param replicas meaningless if there is a {@code failure}
 * @param each the replicas that each metric asks for; {@link #NONE} for a metric that failed
 * @param metric the metric that asks for the most, in words
 * @param statuses the status of each metric; an empty one for a metric that failed
 * @param problems the metrics that failed
 * @param failure why the replicas must not change; null if they may
 */
record Proposals(int replicas, List<Integer> each, String metric, List<V2MetricStatus> statuses, List<Problem> problems,
        @Nullable String failure) {
    /** In the place of the replicas that a metric asks for: it failed. */
    static final int NONE = -1;

    /** Why one metric failed: the reason and the message of the Event. */
    record Problem(String reason, String message) {}

    /** The proposal of one metric, with its name in words and its status. */
    private record Computed(int replicas, String metric, V2MetricStatus status) {}

    static Proposals of(AutoscalerView view, Selected target) {
        V2HorizontalPodAutoscaler autoscaler = view.autoscaler();
        List<V2MetricSpec> specs = orEmpty(autoscaler.getSpec().getMetrics());
        Calculation calculation = new Calculation(String.valueOf(autoscaler.getMetadata().getNamespace()),
                new ReplicaCalculator(target.pods(), view.replicas(), view.statusReplicas(),
                        tolerance(autoscaler.getSpec().getBehavior(), view.options().tolerance()), view.options(),
                        view.now()));
        List<V2MetricStatus> statuses = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        List<Integer> each = new ArrayList<>();
        String first = "";
        int replicas = 0;
        String metric = "";
        for (int i = 0; i < specs.size(); i++) {
            V2MetricSpec spec = specs.get(i);
            try {
                Computed computed = calculation.compute(spec, target.readings().get(i));
                statuses.add(computed.status);
                each.add(computed.replicas);
                if (replicas == 0 || computed.replicas > replicas) {
                    replicas = computed.replicas;
                    metric = computed.metric;
                }
            } catch (MetricsException e) {
                statuses.add(new V2MetricStatus().type(""));
                each.add(NONE);
                first = problems.isEmpty() ? failed(spec) + e.getMessage() : first;
                problems.add(new Problem("FailedGet" + spec.getType() + "Metric", e.getMessage()));
            }
        }
        boolean fails = problems.size() >= specs.size() || (!problems.isEmpty() && replicas < view.replicas());
        return new Proposals(replicas, each, metric, statuses, problems, fails
                ? "invalid metrics (" + problems.size() + " invalid out of " + specs.size() + "), first error is: "
                        + first
                : null);
    }

    private static Tolerance tolerance(@Nullable V2HorizontalPodAutoscalerBehavior behavior, double preset) {
        Quantity down = behavior == null || behavior.getScaleDown() == null
                ? null
                : behavior.getScaleDown().getTolerance();
        Quantity up = behavior == null || behavior.getScaleUp() == null ? null : behavior.getScaleUp().getTolerance();
        return new Tolerance(down == null ? preset : down.getNumber().doubleValue(),
                up == null ? preset : up.getNumber().doubleValue());
    }

    /** The words before the error of a metric. */
    private static String failed(V2MetricSpec spec) {
        return switch (spec.getType()) {
            case "Resource" -> "failed to get " + spec.getResource().getName() + " resource metric value: ";
            case "ContainerResource" ->
                "failed to get " + spec.getContainerResource().getContainer() + " container metric value: ";
            case "Pods" -> "failed to get pods metric value: ";
            case "Object" -> "failed to get object metric value: " + (isAverage(spec.getObject().getTarget())
                    ? "failed to get " + spec.getObject().getMetric().getName() + " object metric: "
                    : "");
            case "External" -> {
                String metric = spec.getExternal().getMetric().getName();
                yield "failed to get " + metric + " external metric value: "
                        + (spec.getExternal().getTarget().getAverageValue() != null
                                ? "failed to get " + metric + " external metric: "
                                : "failed to get external metric " + metric + ": ");
            }
            default -> "";
        };
    }

    private static boolean isAverage(V2MetricTarget target) {
        return "AverageValue".equals(target.getType()) && target.getAverageValue() != null;
    }

    /** Computes the proposals of single metrics. */
    private record Calculation(String namespace, ReplicaCalculator calculator) {
        Computed compute(V2MetricSpec spec, Reading reading) {
            return switch (spec.getType()) {
                case "Resource" -> resource(spec.getResource().getName(), null, spec.getResource().getTarget(), reading,
                        value -> new V2MetricStatus().type("Resource").resource(
                                new V2ResourceMetricStatus().name(spec.getResource().getName()).current(value)));
                case "ContainerResource" -> resource(spec.getContainerResource().getName(),
                        spec.getContainerResource().getContainer(), spec.getContainerResource().getTarget(), reading,
                        value -> new V2MetricStatus().type("ContainerResource").containerResource(
                                new V2ContainerResourceMetricStatus().name(spec.getContainerResource().getName())
                                        .container(spec.getContainerResource().getContainer()).current(value)));
                case "Pods" -> pods(spec.getPods().getMetric(), spec.getPods().getTarget(), reading);
                case "Object" -> object(spec.getObject().getDescribedObject(), spec.getObject().getMetric(),
                        spec.getObject().getTarget(), reading);
                case "External" -> external(spec.getExternal().getMetric(), spec.getExternal().getTarget(), reading);
                default -> throw new MetricsException("unknown metric source type \"" + spec.getType() + "\"");
            };
        }

        private Computed resource(String name, @Nullable String container, V2MetricTarget target, Reading reading,
                Function<V2MetricValueStatus, V2MetricStatus> status) {
            String tried = "unable to get metrics for resource " + name + ": ";
            boolean memory = name.equals("memory");
            if (target.getAverageValue() != null) {
                Proposal proposal = explained("failed to get " + name + " usage: ", () -> calculator
                        .forAverage(reading.ofPods(tried), name, milli(target.getAverageValue())));
                return new Computed(proposal.replicas(), name + " resource",
                        status.apply(new V2MetricValueStatus().averageValue(quantity(proposal.milli(), memory))));
            }
            if (target.getAverageUtilization() == null) {
                throw new MetricsException("invalid resource metric source: neither an average utilization target nor "
                        + "an average value (usage) target was set");
            }
            Proposal proposal = explained("failed to get " + name + " utilization: ", () -> calculator
                    .forUtilization(reading.ofPods(tried), name, container, target.getAverageUtilization()));
            return new Computed(proposal.replicas(), name + (container == null ? "" : " container")
                    + " resource utilization (percentage of request)",
                    status.apply(new V2MetricValueStatus()
                            .averageUtilization(proposal.utilization())
                            .averageValue(quantity(proposal.milli(), memory))));
        }

        private Computed pods(V2MetricIdentifier metric, V2MetricTarget target, Reading reading) {
            Proposal proposal = calculator.forAverage(reading.ofPods("unable to get metric " + metric.getName() + ": "),
                    "", milli(target.getAverageValue()));
            return new Computed(proposal.replicas(), "pods metric " + metric.getName(),
                    new V2MetricStatus().type("Pods").pods(new V2PodsMetricStatus().metric(metric)
                            .current(new V2MetricValueStatus().averageValue(quantity(proposal.milli(), false)))));
        }

        private Computed object(V2CrossVersionObjectReference object, V2MetricIdentifier metric, V2MetricTarget target,
                Reading reading) {
            // The order of the words is upstream's.
            String tried = "unable to get metric " + metric.getName() + ": " + object.getKind() + " on " + namespace
                    + " " + object.getName() + "/";
            boolean value = "Value".equals(target.getType()) && target.getValue() != null;
            if (!value && !isAverage(target)) {
                throw new MetricsException(
                        "invalid object metric source: neither a value target nor an average value target was set");
            }
            long current = reading.values(tried).getFirst();
            Proposal proposal = value
                    ? calculator.forValue(current, milli(target.getValue()))
                    : calculator.forValuePerPod(current, milli(target.getAverageValue()));
            return new Computed(proposal.replicas(), value
                    ? object.getKind() + " metric " + metric.getName()
                    : external(metric),
                    new V2MetricStatus().type("Object")._object(new V2ObjectMetricStatus().describedObject(object)
                            .metric(metric).current(value(proposal, !value))));
        }

        private Computed external(V2MetricIdentifier metric, V2MetricTarget target, Reading reading) {
            String tried = "unable to get external metric " + namespace + "/" + metric.getName() + "/"
                    + text(metric.getSelector()) + ": ";
            boolean average = target.getAverageValue() != null;
            if (!average && target.getValue() == null) {
                throw new MetricsException(
                        "invalid external metric source: neither a value target nor an average value target was set");
            }
            long sum = reading.values(tried).stream().reduce(0L, Calculation::sum);
            Proposal proposal = average
                    ? calculator.forValuePerPod(sum, milli(target.getAverageValue()))
                    : calculator.forValue(sum, milli(target.getValue()));
            return new Computed(proposal.replicas(), external(metric), new V2MetricStatus().type("External")
                    .external(new V2ExternalMetricStatus().metric(metric).current(value(proposal, average))));
        }

        private static long sum(long a, long b) {
            return a > 0 && b > Long.MAX_VALUE - a ? Long.MAX_VALUE : a + b;
        }

        private static String external(V2MetricIdentifier metric) {
            return "external metric " + metric.getName() + "(" + text(metric.getSelector()) + ")";
        }

        private static V2MetricValueStatus value(Proposal proposal, boolean average) {
            Quantity milli = quantity(proposal.milli(), false);
            return average ? new V2MetricValueStatus().averageValue(milli) : new V2MetricValueStatus().value(milli);
        }
    }

    private static Proposal explained(String tried, Supplier<Proposal> computation) {
        try {
            return computation.get();
        } catch (MetricsException e) {
            throw new MetricsException(tried + e.getMessage());
        }
    }

    private static long milli(Quantity quantity) {
        return Quantities.milli(quantity.getNumber());
    }

    private static String text(@Nullable V1LabelSelector selector) {
        return selector == null ? "nil" : GoSelectors.text(selector);
    }

    private static Quantity quantity(long milli, boolean memory) {
        return Quantity.fromString(Quantities.ofMilli(milli, memory));
    }
}
