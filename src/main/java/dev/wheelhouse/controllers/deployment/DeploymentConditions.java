package dev.wheelhouse.controllers.deployment;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1DeploymentCondition;
import io.kubernetes.client.openapi.models.V1DeploymentStatus;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Reads and sets a Deployment's conditions (upstream: {@code SetDeploymentCondition} and similar functions). Conditions
 * of other types are kept.
 */
final class DeploymentConditions {
    static final String PROGRESSING = "Progressing";
    static final String AVAILABLE = "Available";
    static final String REPLICA_FAILURE = "ReplicaFailure";

    private DeploymentConditions() {}

    static @Nullable V1DeploymentCondition find(V1DeploymentStatus status, String type) {
        return list(status).stream().filter(c -> type.equals(c.getType())).findFirst().orElse(null);
    }

    static boolean hasReason(@Nullable V1DeploymentCondition condition, String reason) {
        return condition != null && reason.equals(condition.getReason());
    }

    /**
     * Sets a condition, unless the current one has the same status and reason. The transition time changes with the
     * status only.
     */
    static void set(V1DeploymentStatus status, V1DeploymentCondition condition) {
        V1DeploymentCondition current = find(status, condition.getType());
        if (current != null && condition.getStatus().equals(current.getStatus())
                && hasReason(current, condition.getReason())) {
            return;
        }
        replace(status, condition);
    }

    /**
     * Sets a condition even if the current one has the same status and reason, because the update time records
     * progress.
     */
    static void replace(V1DeploymentStatus status, V1DeploymentCondition condition) {
        V1DeploymentCondition current = find(status, condition.getType());
        if (current != null && condition.getStatus().equals(current.getStatus())) {
            condition.setLastTransitionTime(current.getLastTransitionTime());
        }
        remove(status, condition.getType());
        List<V1DeploymentCondition> conditions = new ArrayList<>(list(status));
        conditions.add(condition);
        status.setConditions(conditions);
    }

    static void remove(V1DeploymentStatus status, String type) {
        if (find(status, type) != null) {
            status.setConditions(list(status).stream().filter(c -> !type.equals(c.getType())).toList());
        }
    }

    static List<V1DeploymentCondition> list(V1DeploymentStatus status) {
        return orEmpty(status.getConditions());
    }
}
