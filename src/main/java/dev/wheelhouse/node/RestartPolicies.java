package dev.wheelhouse.node;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerRestartRule;
import io.kubernetes.client.openapi.models.V1ContainerStateTerminated;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Decides whether a container that has ended is restarted: by its first rule that matches the exit code, else by its
 * own policy, else by the pod's (upstream: {@code ContainerShouldRestart} in {@code pkg/api/v1/pod/util.go}; KEP-5307).
 * Pure functions.
 */
public final class RestartPolicies {
    private RestartPolicies() {}

    /** The reason of the end of a container that ended only because all containers of its pod are restarted. */
    static final String RESTARTING_ALL = "RestartingAllContainers";

    /** Whether a container that has ended is restarted, alone or with all containers of its pod. */
    static boolean restarts(@Nullable String podPolicy, V1Container container, V1ContainerStateTerminated ended) {
        return RESTARTING_ALL.equals(ended.getReason()) || restarts(podPolicy, container, ended.getExitCode());
    }

    /** @param podPolicy null means {@code Always} */
    public static boolean restarts(@Nullable String podPolicy, V1Container container, int exitCode) {
        if (action(container, exitCode) != null) {
            return true;
        }
        String own = container.getRestartPolicy();
        String policy = own != null ? own : podPolicy;
        return switch (policy == null ? "Always" : policy) {
            case "Never" -> false;
            case "OnFailure" -> exitCode != 0;
            default -> true;
        };
    }

    /** Whether the end of a container restarts all containers of its pod. */
    static boolean restartsAll(V1Container container, int exitCode) {
        return "RestartAllContainers".equals(action(container, exitCode));
    }

    /** Whether some end of a container restarts all containers of its pod. */
    public static boolean mayRestartAll(V1Container container) {
        return orEmpty(container.getRestartPolicyRules()).stream()
                .anyMatch(rule -> "RestartAllContainers".equals(rule.getAction()));
    }

    /** The action of the first rule that names the exit code; null if there is none. */
    private static @Nullable String action(V1Container container, int exitCode) {
        return orEmpty(container.getRestartPolicyRules()).stream().filter(rule -> names(rule, exitCode)).findFirst()
                .map(V1ContainerRestartRule::getAction).orElse(null);
    }

    private static boolean names(V1ContainerRestartRule rule, int exitCode) {
        if (rule.getExitCodes() == null) {
            return false;
        }
        boolean listed = rule.getExitCodes().getValues() != null && rule.getExitCodes().getValues().contains(exitCode);
        return "NotIn".equals(rule.getExitCodes().getOperator()) != listed;
    }
}
