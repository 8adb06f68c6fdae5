package dev.wheelhouse.controllers.replicaset;

import java.util.Map;

import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1ReplicaSetCondition;
import io.kubernetes.client.openapi.models.V1ReplicaSetSpec;
import io.kubernetes.client.openapi.models.V1ReplicaSetStatus;
import io.kubernetes.client.openapi.models.V1ReplicationController;
import io.kubernetes.client.openapi.models.V1ReplicationControllerCondition;
import io.kubernetes.client.openapi.models.V1ReplicationControllerSpec;
import io.kubernetes.client.openapi.models.V1ReplicationControllerStatus;

/**
 * Converts ReplicationControllers to ReplicaSets and back (upstream: {@code pkg/controller/replication/conversion.go}).
 * The fields are the same, except that the selector is a plain map and terminating pods are not counted.
 */
final class ReplicationControllers {
    private ReplicationControllers() {}

    /** Converts to a ReplicaSet. The result shares metadata and template with the original, so nobody may change it. */
    static V1ReplicaSet toReplicaSet(V1ReplicationController controller) {
        V1ReplicationControllerSpec spec = controller.getSpec() == null
                ? new V1ReplicationControllerSpec()
                : controller.getSpec();
        Map<String, String> selector = spec.getSelector();
        V1ReplicaSet set = new V1ReplicaSet().metadata(controller.getMetadata())
                .spec(new V1ReplicaSetSpec().replicas(spec.getReplicas()).minReadySeconds(spec.getMinReadySeconds())
                        .selector(new V1LabelSelector().matchLabels(selector)).template(spec.getTemplate()));
        V1ReplicationControllerStatus status = controller.getStatus();
        if (status != null) {
            set.setStatus(new V1ReplicaSetStatus().replicas(status.getReplicas())
                    .fullyLabeledReplicas(status.getFullyLabeledReplicas()).readyReplicas(status.getReadyReplicas())
                    .availableReplicas(status.getAvailableReplicas())
                    .observedGeneration(status.getObservedGeneration())
                    .conditions(status.getConditions() == null
                            ? null
                            : status.getConditions().stream()
                                    .map(ReplicationControllers::toReplicaSetCondition).toList()));
        }
        return set;
    }

    private static V1ReplicaSetCondition toReplicaSetCondition(V1ReplicationControllerCondition condition) {
        return new V1ReplicaSetCondition().type(condition.getType()).status(condition.getStatus())
                .reason(condition.getReason()).message(condition.getMessage())
                .lastTransitionTime(condition.getLastTransitionTime());
    }

    /** Converts back to a ReplicationController, to write its status. */
    static V1ReplicationController fromReplicaSet(V1ReplicaSet set) {
        V1ReplicationController controller = new V1ReplicationController().apiVersion("v1")
                .kind("ReplicationController").metadata(set.getMetadata())
                .spec(new V1ReplicationControllerSpec().replicas(set.getSpec().getReplicas())
                        .minReadySeconds(set.getSpec().getMinReadySeconds())
                        .selector(set.getSpec().getSelector() == null
                                ? null
                                : set.getSpec().getSelector().getMatchLabels())
                        .template(set.getSpec().getTemplate()));
        V1ReplicaSetStatus status = set.getStatus();
        if (status != null) {
            controller.setStatus(new V1ReplicationControllerStatus().replicas(status.getReplicas())
                    .fullyLabeledReplicas(status.getFullyLabeledReplicas()).readyReplicas(status.getReadyReplicas())
                    .availableReplicas(status.getAvailableReplicas())
                    .observedGeneration(status.getObservedGeneration())
                    .conditions(status.getConditions() == null
                            ? null
                            : status.getConditions().stream()
                                    .map(ReplicationControllers::fromReplicaSetCondition).toList()));
        }
        return controller;
    }

    private static V1ReplicationControllerCondition fromReplicaSetCondition(V1ReplicaSetCondition condition) {
        return new V1ReplicationControllerCondition().type(condition.getType()).status(condition.getStatus())
                .reason(condition.getReason()).message(condition.getMessage())
                .lastTransitionTime(condition.getLastTransitionTime());
    }
}
