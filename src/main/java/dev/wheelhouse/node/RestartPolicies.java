package dev.wheelhouse.node;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerRestartRule;

/**
 * Decides whether a container that has ended is restarted: by its first rule that matches the exit code, else by its
 * own policy, else by the pod's (upstream: {@code ContainerShouldRestart} in {@code pkg/api/v1/pod/util.go}; KEP-5307).
 * Pure functions.
 */
final class RestartPolicies {
    private RestartPolicies() {}

    /** @param podPolicy null means {@code Always} */
    static boolean restarts(@Nullable String podPolicy, V1Container container, int exitCode) {
        String own = container.getRestartPolicy();
        if (own != null && rules(container).stream().filter(rule -> names(rule, exitCode)).limit(1)
                .anyMatch(rule -> "Restart".equals(rule.getAction()))) {
            return true;
        }
        String policy = own != null ? own : podPolicy;
        return switch (policy == null ? "Always" : policy) {
            case "Never" -> false;
            case "OnFailure" -> exitCode != 0;
            default -> true;
        };
    }

    private static List<V1ContainerRestartRule> rules(V1Container container) {
        return container.getRestartPolicyRules() == null ? List.of() : container.getRestartPolicyRules();
    }

    private static boolean names(V1ContainerRestartRule rule, int exitCode) {
        if (rule.getExitCodes() == null) {
            return false;
        }
        boolean listed = rule.getExitCodes().getValues() != null && rule.getExitCodes().getValues().contains(exitCode);
        return "NotIn".equals(rule.getExitCodes().getOperator()) != listed;
    }
}
