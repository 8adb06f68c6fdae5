package dev.wheelhouse.controllers.deployment;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentCondition;
import io.kubernetes.client.openapi.models.V1DeploymentStatus;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import dev.wheelhouse.controller.Action;

/** A decision in a form that is convenient for assertions. */
record Decided(List<Action> actions) {
    static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    static Decided of(V1Deployment deployment, V1ReplicaSet... replicaSets) {
        return of(deployment, Map.of(), replicaSets);
    }

    /** @param unfinishedPods by ReplicaSet UID */
    static Decided of(V1Deployment deployment, Map<String, Integer> unfinishedPods, V1ReplicaSet... replicaSets) {
        return new Decided(DeploymentDecision.decide(view(deployment, unfinishedPods, replicaSets)));
    }

    static DeploymentView view(V1Deployment deployment, Map<String, Integer> unfinishedPods,
            V1ReplicaSet... replicaSets) {
        return DeploymentView.of(deployment, List.of(replicaSets),
                r -> unfinishedPods.getOrDefault(r.getMetadata().getUid(), 0), NOW);
    }

    /** The new sizes of ReplicaSets, by name. Those whose size does not change are missing. */
    Map<String, Integer> sizes() {
        Map<String, Integer> sizes = new HashMap<>();
        for (V1ReplicaSet replicaSet : replicaSets()) {
            sizes.put(replicaSet.getMetadata().getName(), replicaSet.getSpec().getReplicas());
        }
        return sizes;
    }

    /** The ReplicaSets that are created or updated, in their new state. */
    List<V1ReplicaSet> replicaSets() {
        List<V1ReplicaSet> written = new ArrayList<>();
        for (Action action : actions) {
            switch (action) {
                case Action.Create create -> written.add((V1ReplicaSet) create.object());
                case Action.Update update when update.object() instanceof V1ReplicaSet r -> written.add(r);
                default -> {
                }
            }
        }
        return written;
    }

    V1ReplicaSet created() {
        return actions.stream().filter(Action.Create.class::isInstance).map(Action.Create.class::cast)
                .map(c -> (V1ReplicaSet) c.object()).findFirst()
                .orElseThrow(() -> new AssertionError("nothing is created: " + kinds()));
    }

    /** The Deployment that is written, as a whole or for its status. */
    V1Deployment deployment() {
        return actions.stream().map(a -> switch (a) {
            case Action.UpdateStatus update -> update.object();
            case Action.Update update -> update.object();
            default -> null;
        }).filter(V1Deployment.class::isInstance).map(V1Deployment.class::cast).findFirst()
                .orElseThrow(() -> new AssertionError("the Deployment is not written: " + kinds()));
    }

    V1DeploymentStatus status() {
        return Objects.requireNonNull(deployment().getStatus());
    }

    V1DeploymentCondition condition(String type) {
        return Objects.requireNonNull(DeploymentConditions.find(status(), type), () -> "no condition " + type);
    }

    List<String> deleted() {
        return actions.stream().filter(Action.Delete.class::isInstance)
                .map(a -> ((Action.Delete) a).target().name()).toList();
    }

    /** The Events, as {@code type reason message}. */
    List<String> events() {
        return actions.stream().filter(Action.Event.class::isInstance).map(Action.Event.class::cast)
                .map(e -> e.type() + " " + e.reason() + " " + e.message()).toList();
    }

    java.time.@Nullable Duration requeueAfter() {
        return actions.stream().filter(Action.RequeueAfter.class::isInstance)
                .map(a -> ((Action.RequeueAfter) a).delay()).findFirst().orElse(null);
    }

    List<String> kinds() {
        return actions.stream().map(a -> a.getClass().getSimpleName()).toList();
    }
}
