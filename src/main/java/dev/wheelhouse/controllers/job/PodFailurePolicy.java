package dev.wheelhouse.controllers.job;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ContainerStatus;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;
import io.kubernetes.client.openapi.models.V1PodFailurePolicy;
import io.kubernetes.client.openapi.models.V1PodFailurePolicyOnExitCodesRequirement;
import io.kubernetes.client.openapi.models.V1PodFailurePolicyOnPodConditionsPattern;
import io.kubernetes.client.openapi.models.V1PodFailurePolicyRule;
import io.kubernetes.client.openapi.models.V1PodStatus;

import static dev.wheelhouse.api.Absent.orEmpty;

/** Matches failed pods with a pod failure policy (upstream: {@code pkg/controller/job/pod_failure_policy.go}). */
final class PodFailurePolicy {
    /** The result without a policy, and if no rule matches. */
    private static final Match COUNTS = new Match(null, null, true, false);

    private PodFailurePolicy() {}

    /**
     * The effect of the first rule that matches a failed pod.
     *
     * @param action the action of the rule; null if no rule matches
     * @param message why the Job fails; null if the pod does not make it fail
     * @param counts whether the failure counts towards the backoff limits
     * @param failsIndex whether the pod's index fails at once
     */
    record Match(@Nullable String action, @Nullable String message, boolean counts, boolean failsIndex) {}

    static Match match(@Nullable V1PodFailurePolicy policy, V1Pod pod) {
        if (policy == null || policy.getRules() == null) {
            return COUNTS;
        }
        V1PodStatus status = pod.getStatus() == null ? new V1PodStatus() : pod.getStatus();
        int at = 0;
        for (V1PodFailurePolicyRule rule : policy.getRules()) {
            String cause = cause(rule, pod, status);
            Match match = cause == null
                    ? null
                    : match(rule.getAction(), cause + rule.getAction() + " rule at index " + at);
            if (match != null) {
                return match;
            }
            at++;
        }
        return COUNTS;
    }

    private static @Nullable Match match(@Nullable String action, String message) {
        return switch (orEmpty(action)) {
            case "Ignore" -> new Match(action, null, false, false);
            case "FailIndex" -> new Match(action, null, true, true);
            case "Count" -> new Match(action, null, true, false);
            case "FailJob" -> new Match(action, message, true, false);
            default -> null;
        };
    }

    /** Why a rule matches, in the words of the Job's condition; null if it does not. */
    private static @Nullable String cause(V1PodFailurePolicyRule rule, V1Pod pod, V1PodStatus status) {
        String name = pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName();
        if (rule.getOnExitCodes() != null) {
            V1ContainerStatus container = matching(status.getContainerStatuses(), rule.getOnExitCodes());
            if (container == null) {
                container = matching(status.getInitContainerStatuses(), rule.getOnExitCodes());
            }
            return container == null
                    ? null
                    : "Container " + container.getName() + " for pod " + name + " failed with exit code "
                            + container.getState().getTerminated().getExitCode() + " matching ";
        }
        V1PodCondition condition = matching(status.getConditions(), rule.getOnPodConditions());
        return condition == null ? null : "Pod " + name + " has condition " + condition.getType() + " matching ";
    }

    private static @Nullable V1ContainerStatus matching(@Nullable List<V1ContainerStatus> containers,
            V1PodFailurePolicyOnExitCodesRequirement wanted) {
        for (V1ContainerStatus container : orEmpty(containers)) {
            if (container.getState() == null || container.getState().getTerminated() == null
                    || (wanted.getContainerName() != null && !wanted.getContainerName().equals(container.getName()))) {
                continue;
            }
            Integer code = container.getState().getTerminated().getExitCode();
            if (code != null && code != 0 && matches(code, wanted)) {
                return container;
            }
        }
        return null;
    }

    private static boolean matches(Integer code, V1PodFailurePolicyOnExitCodesRequirement wanted) {
        boolean listed = wanted.getValues() != null && wanted.getValues().contains(code);
        return switch (String.valueOf(wanted.getOperator())) {
            case "In" -> listed;
            case "NotIn" -> !listed;
            default -> false;
        };
    }

    private static @Nullable V1PodCondition matching(@Nullable List<V1PodCondition> conditions,
            @Nullable List<V1PodFailurePolicyOnPodConditionsPattern> patterns) {
        if (conditions == null || patterns == null) {
            return null;
        }
        for (V1PodCondition condition : conditions) {
            for (V1PodFailurePolicyOnPodConditionsPattern pattern : patterns) {
                if (pattern.getType().equals(condition.getType())
                        && String.valueOf(pattern.getStatus()).equals(condition.getStatus())) {
                    return condition;
                }
            }
        }
        return null;
    }
}
