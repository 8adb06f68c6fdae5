package dev.wheelhouse.controllers.replicaset;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1ReplicaSetCondition;
import io.kubernetes.client.openapi.models.V1ReplicaSetSpec;
import io.kubernetes.client.openapi.models.V1ReplicaSetStatus;
import io.kubernetes.client.openapi.models.V1ReplicationController;
import io.kubernetes.client.openapi.models.V1ReplicationControllerCondition;
import io.kubernetes.client.openapi.models.V1ReplicationControllerSpec;
import io.kubernetes.client.openapi.models.V1ReplicationControllerStatus;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;

/**
 * The {@link PodSets} of ReplicationControllers, converted to ReplicaSets (upstream:
 * {@code pkg/controller/replication/conversion.go}). The fields are the same, except that the selector is a plain map
 * and terminating pods are not counted.
 */
final class ReplicationControllers implements PodSets {
    private static final String BY_CONTROLLER = "replicationcontroller-controller/controller-uid";

    private final SharedIndexInformer<V1ReplicationController> cache;

    ReplicationControllers(SharedIndexInformer<V1ReplicationController> cache) {
        this.cache = cache;
        cache.getIndexer().addIndex(BY_CONTROLLER, PodSets::controllerUid);
    }

    @Override
    public ResourceType type() {
        return ResourceType.REPLICATION_CONTROLLERS;
    }

    @Override
    public @Nullable V1ReplicaSet get(ObjectKey key) {
        V1ReplicationController found = cache.get(key);
        return found == null ? null : toReplicaSet(found);
    }

    @Override
    public List<V1ReplicaSet> list(String namespace) {
        return cache.getIndexer().list(namespace).stream().map(ReplicationControllers::toReplicaSet).toList();
    }

    @Override
    public List<V1ReplicaSet> controlledBy(String ownerUid) {
        return cache.getIndexer().byIndex(BY_CONTROLLER, ownerUid).stream().map(ReplicationControllers::toReplicaSet)
                .toList();
    }

    @Override
    public void addEventHandler(ResourceEventHandler<V1ReplicaSet> handler) {
        cache.addEventHandler(new ResourceEventHandler<>() {
            @Override
            public void onAdd(V1ReplicationController set, boolean initial) {
                handler.onAdd(toReplicaSet(set), initial);
            }

            @Override
            public void onUpdate(V1ReplicationController before, V1ReplicationController after) {
                handler.onUpdate(toReplicaSet(before), toReplicaSet(after));
            }

            @Override
            public void onDelete(V1ReplicationController set, boolean finalStateUnknown) {
                handler.onDelete(toReplicaSet(set), finalStateUnknown);
            }
        });
    }

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
