package dev.wheelhouse.controllers.deployment;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ControllerRefManager;

/**
 * Decides what to do about a Deployment (upstream: {@code syncDeployment} in {@code deployment_controller.go}). A pure
 * function: the same view gives the same actions, and a Deployment in its desired state gives none.
 */
final class DeploymentDecision {
    private DeploymentDecision() {}

    static List<Action> decide(DeploymentView view) {
        Draft draft = new Draft(view);
        if (selectsAll(view.deployment().getSpec().getSelector())) {
            draft.warn("SelectingAll",
                    "This deployment is selecting all pods. A non-empty selector is required.");
            draft.status().setObservedGeneration(view.deployment().getMetadata().getGeneration());
            return draft.actions();
        }
        if (!view.adopt().isEmpty() || !view.release().isEmpty()) {
            // The next sync decides the rest, because until the caches show these patches, their copies of the objects
            // are outdated.
            return ControllerRefManager.actions(
                    new ControllerRefManager.Claim<>(view.owned(), view.adopt(), view.release()),
                    ResourceType.REPLICA_SETS, ResourceType.DEPLOYMENTS, view.deployment().getMetadata());
        }
        if (view.deployment().getMetadata().getDeletionTimestamp() != null) {
            NewReplicaSet.sync(draft);
            DeploymentStatuses.compute(draft);
            return draft.actions();
        }
        Progress.pauseOrResume(draft);
        NewReplicaSet.sync(draft);
        rollOut(draft);
        return draft.actions();
    }

    private static void rollOut(Draft draft) {
        OptionalLong rollback = Rollback.asked(draft.deployment());
        if (draft.isPaused()) {
            Scaling.scale(draft);
            if (rollback.isEmpty()) {
                History.cleanUp(draft);
            }
            DeploymentStatuses.compute(draft);
        } else if (rollback.isPresent()) {
            Rollback.decide(draft, rollback.getAsLong());
        } else if (Scaling.isScalingEvent(draft)) {
            Scaling.scale(draft);
            DeploymentStatuses.compute(draft);
        } else {
            switch (Fenceposts.strategyType(draft.deployment())) {
                case "RollingUpdate" -> Rolling.decide(draft);
                case "Recreate" -> Recreate.decide(draft);
                default -> DeploymentStatuses.compute(draft);
            }
        }
    }

    private static boolean selectsAll(V1LabelSelector selector) {
        return selector != null && LabelSelector.of(selector).isEverything();
    }

    /**
     * Decides what to do if the name of the ReplicaSet to create is taken.
     *
     * @param live the ReplicaSet that has the name
     */
    static List<Action> afterNameTaken(DeploymentView view, V1ReplicaSet live) {
        V1Deployment deployment = view.deployment();
        if (OwnerReferences.isControlledBy(live, deployment.getMetadata()) && PodTemplates
                .sameIgnoringHash(deployment.getSpec().getTemplate(), live.getSpec().getTemplate())) {
            return decide(withOwned(view, live));
        }
        V1ObjectMeta meta = live.getMetadata();
        if (OwnerReferences.controllerOf(meta) == null && meta.getDeletionTimestamp() == null
                && LabelSelector.of(deployment.getSpec().getSelector()).matches(meta.getLabels())) {
            return decide(new DeploymentView(deployment, view.owned(), List.of(live), view.release(),
                    view.unfinishedPods(), view.now()));
        }
        Draft draft = new Draft(view);
        Integer collisions = draft.status().getCollisionCount();
        draft.status().setCollisionCount(collisions == null ? 1 : collisions + 1);
        return draft.actions();
    }

    private static DeploymentView withOwned(DeploymentView view, V1ReplicaSet live) {
        List<V1ReplicaSet> owned = new ArrayList<>(view.owned());
        owned.removeIf(r -> r.getMetadata().getName().equals(live.getMetadata().getName()));
        owned.add(live);
        return new DeploymentView(view.deployment(), owned, view.adopt(), view.release(), view.unfinishedPods(),
                view.now());
    }

    /**
     * The event and condition to write if the new ReplicaSet could not be created.
     * @param error the API server's message
     */
    static List<Action> afterCreateFailed(DeploymentView view, String replicaSet, String error) {
        Draft draft = new Draft(view);
        String message = "Failed to create new replica set \"" + replicaSet + "\": " + error;
        if (Progress.hasDeadline(draft.deployment())) {
            draft.set(DeploymentConditions.PROGRESSING, "False", "ReplicaSetCreateError", message);
        }
        List<Action> actions = new ArrayList<>(draft.actions());
        actions.addFirst(new Action.Event(ResourceType.DEPLOYMENTS, view.deployment(), "Warning",
                "ReplicaSetCreateError", message));
        return actions;
    }
}
