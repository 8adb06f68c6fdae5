package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.List;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1Scale;
import io.kubernetes.client.openapi.models.V1ScaleSpec;
import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscaler;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.autoscaling.AutoscalerController;
import dev.wheelhouse.simulation.PlantedFault.Defect;

/** Errors of the autoscaler. */
final class AutoscalerFaults {
    /** The bounds of the autoscaler do not count. */
    private static final Defect NO_BOUNDS = Defects.decision(AutoscalerController.NAME,
            truth -> (owner, actions) -> actions.stream().map(a -> a instanceof Action.UpdateSubresource scale
                    ? more((V1Scale) scale.object(), scale)
                    : a).toList());

    /** A recommendation counts at once, although there were higher ones within the window. */
    private static final Defect NO_WINDOW = Defects.decision(AutoscalerController.NAME, truth -> (owner, actions) -> {
        V1ReplicaSet set = truth.get(ResourceType.REPLICA_SETS, V1ReplicaSet.class, owner.name());
        List<Action> all = new ArrayList<>(actions);
        for (Action action : actions) {
            if (set != null && action instanceof Action.UpdateStatus update
                    && update.object() instanceof V2HorizontalPodAutoscaler autoscaler && isStabilized(autoscaler)
                    && set.getSpec().getReplicas() > autoscaler.getSpec().getMinReplicas()) {
                all.addFirst(scale(set, set.getSpec().getReplicas() - 1));
            }
        }
        return all;
    });

    private AutoscalerFaults() {}

    static List<PlantedFault> all() {
        return List.of(
                new PlantedFault("bounds that do not count", "outside of its bounds", NO_BOUNDS),
                new PlantedFault("a window that does not count", "removes pods .* after it added some", NO_WINDOW),
                new PlantedFault("an autoscaler looked at once only", "the run without faults ends with",
                        Defects.LOST_REQUEUE));
    }

    private static Action more(V1Scale scale, Action.UpdateSubresource update) {
        V1Scale changed = ModelJson.copy(scale);
        changed.getSpec().setReplicas(scale.getSpec().getReplicas() + 20);
        return new Action.UpdateSubresource(update.type(), changed, "scale", update.why());
    }

    private static boolean isStabilized(V2HorizontalPodAutoscaler autoscaler) {
        return autoscaler.getStatus() != null && autoscaler.getStatus().getConditions() != null
                && autoscaler.getStatus().getConditions().stream()
                        .anyMatch(condition -> "ScaleDownStabilized".equals(condition.getReason()));
    }

    private static Action scale(V1ReplicaSet set, int replicas) {
        V1ObjectMeta read = set.getMetadata();
        V1Scale scale = new V1Scale().metadata(new V1ObjectMeta().name(read.getName()).namespace(read.getNamespace())
                .resourceVersion(read.getResourceVersion())).spec(new V1ScaleSpec().replicas(replicas));
        scale.setApiVersion("autoscaling/v1");
        scale.setKind("Scale");
        return new Action.UpdateSubresource(ResourceType.REPLICA_SETS, scale, "scale", "the load is lower");
    }
}
