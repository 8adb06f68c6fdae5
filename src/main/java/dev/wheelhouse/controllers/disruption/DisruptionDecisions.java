package dev.wheelhouse.controllers.disruption;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudgetSpec;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudgetStatus;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.GoSelectors;
import dev.wheelhouse.controllers.pods.Pods;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Computes the status of a budget from a view (upstream: {@code trySync} in {@code disruption.go}). A pure function.
 */
final class DisruptionDecisions {
    /**
     * The time after which an evicted pod that was not deleted counts as healthy again (upstream:
     * {@code DeletionTimeout}).
     */
    static final Duration DELETION_TIMEOUT = Duration.ofMinutes(2);
    private static final String ALLOWED = "DisruptionAllowed";

    private DisruptionDecisions() {}

    /** The expected number of pods, and how many of these the budget wants healthy. */
    private record Wanted(int expected, int healthy) {}

    static List<Action> decide(DisruptionView view) {
        V1PodDisruptionBudget budget = view.budget();
        List<Action> actions = new ArrayList<>();
        if (view.pods().isEmpty()) {
            actions.add(event(budget, "Normal", "NoPods", "No matching pods found"));
        }
        String problem = needsScale(budget) ? view.scale().problem() : null;
        if (problem != null) {
            actions.add(event(budget, "Warning", "CalculateExpectedPodCountFailed",
                    "Failed to calculate the number of expected pods: " + problem));
            actions.addAll(failSafe(view, problem));
            return actions;
        }
        if (needsScale(budget) && !view.scale().unmanaged().isEmpty()) {
            actions.add(event(budget, "Warning", "UnmanagedPods", unmanaged(budget.getSpec().getSelector())));
        }
        Map<String, OffsetDateTime> disrupted = disrupted(view, actions);
        update(budget, counted(view, wanted(view), disrupted), "its pods have changed", actions);
        disrupted.values().stream().min(OffsetDateTime::compareTo).ifPresent(first -> actions.add(
                new Action.RequeueAfter(Duration.between(view.now(), first.toInstant().plus(DELETION_TIMEOUT)))));
        return actions;
    }

    /** The write if the status cannot be determined or written: no disruption is allowed. */
    static List<Action> failSafe(DisruptionView view, String problem) {
        List<Action> actions = new ArrayList<>();
        V1PodDisruptionBudgetStatus status = copy(view.budget()).disruptionsAllowed(0);
        condition(status, false, "SyncFailed", problem, view.now());
        update(view.budget(), status, "its status cannot be determined", actions);
        return actions;
    }

    private static String unmanaged(V1LabelSelector selector) {
        return "Pods selected by this PodDisruptionBudget (selector: " + GoSelectors.text(selector)
                + ") were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, "
                + "which may result in undefined behavior. To account for these pods please set "
                + "\".spec.minAvailable\" field of the PDB to an integer value.";
    }

    /** Whether the expected number of pods depends on the replicas of the pods' owners. */
    static boolean needsScale(V1PodDisruptionBudget budget) {
        V1PodDisruptionBudgetSpec spec = budget.getSpec();
        return spec != null && (spec.getMaxUnavailable() != null
                || (spec.getMinAvailable() != null && !spec.getMinAvailable().isInteger()));
    }

    private static Wanted wanted(DisruptionView view) {
        V1PodDisruptionBudgetSpec spec = view.budget().getSpec();
        if (spec == null) {
            return new Wanted(0, 0);
        }
        if (spec.getMaxUnavailable() != null) {
            int expected = view.scale().expected();
            return new Wanted(expected, Math.max(0, expected - scaled(spec.getMaxUnavailable(), expected)));
        }
        if (spec.getMinAvailable() == null) {
            return new Wanted(0, 0);
        }
        int expected = spec.getMinAvailable().isInteger() ? view.pods().size() : view.scale().expected();
        return new Wanted(expected, scaled(spec.getMinAvailable(), expected));
    }

    /** The number of pods. Percentages are rounded up. */
    private static int scaled(IntOrString value, int of) {
        if (value.isInteger()) {
            return value.getIntValue();
        }
        try {
            long hundredths = Long.parseLong(value.getStrValue().replaceFirst("%$", "")) * of;
            return (int) Math.clamp(Math.ceilDiv(hundredths, 100), 0, Integer.MAX_VALUE);
        } catch (NumberFormatException e) {
            return 0; // The API server rejects such a budget.
        }
    }

    /**
     * The evicted pods whose deletion is still expected. A pod that was not deleted within the timeout is healthy
     * again.
     */
    private static Map<String, OffsetDateTime> disrupted(DisruptionView view, List<Action> actions) {
        V1PodDisruptionBudgetStatus status = view.budget().getStatus();
        Map<String, OffsetDateTime> disrupted = new TreeMap<>();
        if (status == null || status.getDisruptedPods() == null) {
            return disrupted;
        }
        for (V1Pod pod : view.pods()) {
            OffsetDateTime since = status.getDisruptedPods().get(pod.getMetadata().getName());
            if (since == null || pod.getMetadata().getDeletionTimestamp() != null) {
                continue;
            }
            if (!since.toInstant().plus(DELETION_TIMEOUT).isAfter(view.now())) {
                actions.add(new Action.Event(ResourceType.PODS, pod, "Warning", "NotDeleted", "Pod was expected by PDB "
                        + view.budget().getMetadata().getNamespace() + "/" + view.budget().getMetadata().getNamespace()
                        + " to be deleted but it wasn't"));
            } else {
                disrupted.put(String.valueOf(pod.getMetadata().getName()), since);
            }
        }
        return disrupted;
    }

    private static V1PodDisruptionBudgetStatus counted(DisruptionView view, Wanted wanted,
            Map<String, OffsetDateTime> disrupted) {
        int healthy = (int) view.pods().stream().filter(pod -> pod.getMetadata().getDeletionTimestamp() == null
                && !disrupted.containsKey(pod.getMetadata().getName()) && Pods.isReady(pod)).count();
        // If no pod is expected, allow nothing: the first pods may be created before the next sync.
        int allowed = wanted.expected() <= 0 ? 0 : Math.max(0, healthy - wanted.healthy());
        V1PodDisruptionBudgetStatus status = copy(view.budget()).currentHealthy(healthy)
                .desiredHealthy(wanted.healthy()).expectedPods(wanted.expected()).disruptionsAllowed(allowed)
                .disruptedPods(disrupted.isEmpty() ? null : disrupted)
                .observedGeneration(view.budget().getMetadata().getGeneration());
        condition(status, allowed > 0, allowed > 0 ? "SufficientPods" : "InsufficientPods", "", view.now());
        return status;
    }

    /** A copy of the current status. The model class creates an empty map of disrupted pods; it is replaced by null. */
    private static V1PodDisruptionBudgetStatus copy(V1PodDisruptionBudget budget) {
        V1PodDisruptionBudgetStatus before = budget.getStatus();
        V1PodDisruptionBudgetStatus status = before == null
                ? new V1PodDisruptionBudgetStatus().currentHealthy(0).desiredHealthy(0).expectedPods(0)
                : ModelJson.copy(before);
        return status.getDisruptedPods() == null || status.getDisruptedPods().isEmpty()
                ? status.disruptedPods(null)
                : status;
    }

    private static void condition(V1PodDisruptionBudgetStatus status, boolean allowed, String reason, String message,
            Instant now) {
        List<V1Condition> conditions = new ArrayList<>(
                orEmpty(status.getConditions()));
        int index = 0;
        while (index < conditions.size() && !ALLOWED.equals(conditions.get(index).getType())) {
            index++;
        }
        String value = allowed ? "True" : "False";
        OffsetDateTime since = now.atOffset(ZoneOffset.UTC);
        if (index == conditions.size()) {
            conditions.add(new V1Condition());
        } else if (value.equals(conditions.get(index).getStatus())) {
            since = conditions.get(index).getLastTransitionTime();
        }
        conditions.set(index, new V1Condition().type(ALLOWED).status(value).reason(reason).message(message)
                .observedGeneration(status.getObservedGeneration()).lastTransitionTime(since));
        status.setConditions(conditions);
    }

    private static void update(V1PodDisruptionBudget budget, V1PodDisruptionBudgetStatus status, String why,
            List<Action> actions) {
        if (budget.getStatus() == null || !status.equals(copy(budget))) {
            V1PodDisruptionBudget next = ModelJson.copy(budget);
            next.setStatus(status);
            actions.add(new Action.UpdateStatus(ResourceType.POD_DISRUPTION_BUDGETS, next, why));
        }
    }

    private static Action.Event event(V1PodDisruptionBudget budget, String type, String reason, String message) {
        return new Action.Event(ResourceType.POD_DISRUPTION_BUDGETS, budget, type, reason, message);
    }
}
