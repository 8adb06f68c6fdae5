package dev.wheelhouse.controllers.autoscaling;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscaler;
import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscalerStatus;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.autoscaling.AutoscalerView.Target;
import dev.wheelhouse.controllers.autoscaling.ReplicaLimits.Limited;
import dev.wheelhouse.runtime.Durations;

import static dev.wheelhouse.api.Absent.orNull;
import static dev.wheelhouse.api.Absent.orZero;
import static dev.wheelhouse.controllers.autoscaling.AutoscalerConditions.ABLE_TO_SCALE;
import static dev.wheelhouse.controllers.autoscaling.AutoscalerConditions.SCALED_TO_ZERO;
import static dev.wheelhouse.controllers.autoscaling.AutoscalerConditions.SCALING_ACTIVE;
import static dev.wheelhouse.controllers.autoscaling.AutoscalerConditions.SCALING_LIMITED;

/**
 * Decides how many replicas the target of an autoscaler gets (upstream: {@code reconcileAutoscaler} in
 * {@code horizontal.go}). Pure functions.
 */
final class AutoscalerDecisions {
    static final ResourceType AUTOSCALERS = new ResourceType("autoscaling", "v2", "horizontalpodautoscalers",
            "HorizontalPodAutoscaler", true);

    private AutoscalerDecisions() {}

    /**
     * A decision, before its outcome is known.
     *
     * @param replicas the replicas that the target gets
     * @param why the reason as an Event has it; null if the replicas are not written
     * @param events what happened on the way to the decision
     * @param proposals what the metrics ask for; null if none was computed
     * @param failed whether no number of replicas could be computed
     */
    record Decision(int replicas, @Nullable String why, boolean failed, AutoscalerConditions conditions,
            @Nullable Proposals proposals, List<Action> events, Memory memory) {}

    /** Whether the metrics matter, or the number of replicas alone decides. */
    static boolean needsMetrics(V2HorizontalPodAutoscaler autoscaler, int replicas) {
        return replicas != 0 && replicas >= least(autoscaler) && replicas <= most(autoscaler);
    }

    private static int least(V2HorizontalPodAutoscaler autoscaler) {
        return Objects.requireNonNullElse(autoscaler.getSpec().getMinReplicas(), 1);
    }

    private static int most(V2HorizontalPodAutoscaler autoscaler) {
        return autoscaler.getSpec().getMaxReplicas();
    }

    /** The actions if the scale of the target cannot be read. */
    static List<Action> unreachable(V2HorizontalPodAutoscaler autoscaler, Instant now, String problem) {
        List<Action> actions = new ArrayList<>();
        AutoscalerConditions conditions = new AutoscalerConditions(autoscaler.getStatus() == null
                ? null
                : autoscaler.getStatus().getConditions(), now);
        actions.add(event(autoscaler, "Warning", "FailedGetScale", problem));
        conditions.set(ABLE_TO_SCALE, false, "FailedGetScale",
                "the HPA controller was unable to get the target's current scale: " + problem);
        V2HorizontalPodAutoscalerStatus status = status(autoscaler).conditions(conditions.list());
        update(autoscaler, status, "the scale of the target cannot be read", actions);
        return actions;
    }

    static Decision decide(AutoscalerView view) {
        V2HorizontalPodAutoscaler autoscaler = view.autoscaler();
        AutoscalerConditions conditions = new AutoscalerConditions(status(autoscaler).getConditions(), view.now());
        conditions.set(ABLE_TO_SCALE, true, "SucceededGetScale",
                "the HPA controller was able to get the target's current scale");
        Memory memory = view.memory().recommendations().isEmpty()
                ? view.memory().withRecommendation(view.replicas(), view.now(), entry -> false)
                : view.memory();
        return switch (view.target()) {
            case Target.NotNeeded none -> withoutMetrics(view, conditions, memory);
            case Target.WithoutSelector none ->
                unclear(view, conditions, memory, "SelectorRequired", "selector is required",
                        "InvalidSelector", "the HPA target's scale is missing a selector");
            case Target.WrongSelector wrong -> {
                String problem = "couldn't convert selector into a corresponding internal selector object: "
                        + wrong.problem();
                yield unclear(view, conditions, memory, "InvalidSelector", problem, "InvalidSelector", problem);
            }
            case Target.Selected selected when selected.autoscalers().size() > 1 -> {
                String problem = "pods by selector " + selected.text() + " are controlled by multiple HPAs: ["
                        + String.join(" ", selected.autoscalers().stream()
                                .map(ObjectKey::toString).toList())
                        + "]";
                yield unclear(view, conditions, memory, "AmbiguousSelector", problem, "AmbiguousSelector", problem);
            }
            case Target.Selected selected -> byMetrics(view, selected, conditions, memory);
        };
    }

    private static Decision withoutMetrics(AutoscalerView view, AutoscalerConditions conditions, Memory memory) {
        if (view.replicas() == 0) {
            conditions.set(SCALING_ACTIVE, false, "ScalingDisabled",
                    "scaling is disabled since the replica count of the target is zero");
            conditions.remove(SCALED_TO_ZERO);
            return new Decision(0, null, false, conditions, null, List.of(), memory);
        }
        boolean above = view.replicas() > most(view.autoscaler());
        return new Decision(above ? most(view.autoscaler()) : least(view.autoscaler()),
                above
                        ? "Current number of replicas above Spec.MaxReplicas"
                        : "Current number of replicas below Spec.MinReplicas",
                false, conditions, null, List.of(), memory);
    }

    /** The decision if it is not clear which pods are meant. */
    private static Decision unclear(AutoscalerView view, AutoscalerConditions conditions, Memory memory,
            String eventReason,
            String problem, String reason, String message) {
        conditions.set(SCALING_ACTIVE, false, reason, message);
        return new Decision(view.replicas(), null, true, conditions, null,
                List.of(event(view.autoscaler(), "Warning", eventReason, problem),
                        event(view.autoscaler(), "Warning", "FailedComputeMetricsReplicas", problem)),
                memory);
    }

    private static Decision byMetrics(AutoscalerView view, Target.Selected target, AutoscalerConditions conditions,
            Memory memory) {
        V2HorizontalPodAutoscaler autoscaler = view.autoscaler();
        Proposals proposals = Proposals.of(view, target);
        List<Action> events = new ArrayList<>();
        proposals.problems()
                .forEach(problem -> events.add(event(autoscaler, "Warning", problem.reason(), problem.message())));
        if (proposals.failure() != null) {
            Proposals.Problem first = proposals.problems().getFirst();
            conditions.set(SCALING_ACTIVE, false, first.reason(),
                    "the HPA was unable to compute the replica count: " + first.message());
            events.add(event(autoscaler, "Warning", "FailedComputeMetricsReplicas", proposals.failure()));
            return new Decision(view.replicas(), null, true, conditions, proposals, events, memory);
        }
        conditions.set(SCALING_ACTIVE, true, "ValidMetricFound",
                "the HPA was able to successfully calculate a replica count from " + proposals.metric());
        int wanted = Math.max(0, proposals.replicas());
        ReplicaLimits limits = new ReplicaLimits(autoscaler.getSpec().getBehavior(), least(autoscaler),
                most(autoscaler),
                view.replicas(), memory, view.options().downscaleStabilization(), view.now());
        Limited stabilized = limits.stabilized(wanted);
        conditions.set(ABLE_TO_SCALE, true, stabilized.reason(), stabilized.message());
        Limited bounded = limits.bounded(stabilized.replicas());
        conditions.set(SCALING_LIMITED, bounded.changed(), bounded.reason(), bounded.message());
        String why = wanted > view.replicas()
                ? proposals.metric() + " above target"
                : wanted < view.replicas() ? "All metrics below target" : "";
        return new Decision(bounded.replicas(), bounded.replicas() == view.replicas() ? null : why, false, conditions,
                proposals, events, limits.remembering(wanted));
    }

    /**
     * The actions after a decision.
     *
     * @param failure why the scale could not be written; null if it was written, or need not be
     */
    static List<Action> report(AutoscalerView view, Decision decision, @Nullable KubeApiException failure) {
        V2HorizontalPodAutoscaler autoscaler = view.autoscaler();
        AutoscalerConditions conditions = decision.conditions();
        V2HorizontalPodAutoscalerStatus before = status(autoscaler);
        V2HorizontalPodAutoscalerStatus status = new V2HorizontalPodAutoscalerStatus()
                .currentReplicas(view.replicas()).desiredReplicas(decision.replicas())
                .lastScaleTime(before.getLastScaleTime())
                .currentMetrics(decision.proposals() == null ? null : decision.proposals().statuses());
        List<Action> actions = new ArrayList<>();
        if (failure != null) {
            actions.add(event(autoscaler, "Warning", "FailedRescale", "New size: " + decision.replicas() + "; reason: "
                    + decision.why() + "; error: " + failure.statusMessage()));
            conditions.set(ABLE_TO_SCALE, false, "FailedUpdateScale",
                    "the HPA controller was unable to update the target scale: " + failure.statusMessage());
            status.desiredReplicas(before.getDesiredReplicas());
        } else if (decision.why() != null) {
            conditions.set(ABLE_TO_SCALE, true, "SucceededRescale",
                    "the HPA controller was able to update the target scale to " + decision.replicas());
            conditions.remove(SCALED_TO_ZERO);
            actions.add(event(autoscaler, "Normal", "SuccessfulRescale",
                    "New size: " + decision.replicas() + "; reason: " + decision.why()));
            status.lastScaleTime(Durations.wholeSeconds(view.now()));
        } else if (decision.failed()) {
            status.desiredReplicas(before.getDesiredReplicas());
        }
        update(autoscaler, status.conditions(conditions.list()), "its target or its metrics have changed", actions);
        return actions;
    }

    /** The Event about a status that could not be written. */
    static Action statusFailed(V2HorizontalPodAutoscaler autoscaler, KubeApiException failure) {
        return event(autoscaler, "Warning", "FailedUpdateStatus", failure.statusMessage());
    }

    /** A copy of the current status, whose empty lists are null, as in a new status. */
    private static V2HorizontalPodAutoscalerStatus status(V2HorizontalPodAutoscaler autoscaler) {
        V2HorizontalPodAutoscalerStatus status = autoscaler.getStatus() == null
                ? new V2HorizontalPodAutoscalerStatus()
                : ModelJson.copy(autoscaler.getStatus());
        return status.currentReplicas(orZero(status.getCurrentReplicas()))
                .desiredReplicas(orZero(status.getDesiredReplicas()))
                .currentMetrics(orNull(status.getCurrentMetrics())).conditions(orNull(status.getConditions()));
    }

    private static void update(V2HorizontalPodAutoscaler autoscaler, V2HorizontalPodAutoscalerStatus status, String why,
            List<Action> actions) {
        if (!status.equals(status(autoscaler))) {
            V2HorizontalPodAutoscaler next = ModelJson.shallowCopy(autoscaler);
            next.setStatus(status);
            actions.add(new Action.UpdateStatus(AUTOSCALERS, next, why));
        }
    }

    private static Action event(V2HorizontalPodAutoscaler autoscaler, String type, String reason, String message) {
        return new Action.Event(AUTOSCALERS, autoscaler, type, reason, message);
    }
}
