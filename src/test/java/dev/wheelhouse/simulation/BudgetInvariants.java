package dev.wheelhouse.simulation;

import java.util.List;

import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudgetStatus;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ResourceType;

import static dev.wheelhouse.simulation.Truth.isReady;
import static dev.wheelhouse.simulation.Truth.name;
import static dev.wheelhouse.simulation.Truth.uid;

/** A budget never allows more disruptions than there are healthy pods beyond those that it wants. */
record BudgetInvariants() implements Invariant {
    @Override
    public List<String> before(Write write) {
        V1PodDisruptionBudget budget = write.object(V1PodDisruptionBudget.class);
        if (budget == null || !write.request().subresource().equals("status")) {
            return List.of();
        }
        V1PodDisruptionBudgetStatus status = budget.getStatus();
        LabelSelector selector = LabelSelector.of(budget.getSpec().getSelector());
        long healthy = write.read(ResourceType.PODS, V1Pod.class).stream()
                .filter(pod -> selector.matches(pod.getMetadata().getLabels()))
                .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null && isReady(pod)).count();
        long must = must(write, budget);
        return status.getDisruptionsAllowed() <= Math.max(0, healthy - must)
                ? List.of()
                : List.of("the budget " + name(budget) + " allows " + status.getDisruptionsAllowed()
                        + " disruptions, and it read " + healthy + " healthy pods, of which " + must + " must stay");
    }

    /** The number of healthy pods that a budget wants, of the pods that the ReplicaSets wanted when they were read. */
    private static long must(Write write, V1PodDisruptionBudget budget) {
        IntOrString least = budget.getSpec().getMinAvailable();
        IntOrString most = budget.getSpec().getMaxUnavailable();
        int wanted = write.read(ResourceType.REPLICA_SETS, V1ReplicaSet.class).stream()
                .filter(set -> name(set).equals(name(budget)) && write.read(ResourceType.PODS, V1Pod.class).stream()
                        .anyMatch(pod -> Truth.owns(set, pod) && !uid(pod).isEmpty()))
                .mapToInt(set -> set.getSpec().getReplicas()).sum();
        return least != null ? scaled(least, wanted) : Math.max(0, wanted - scaled(most, wanted));
    }

    private static int scaled(IntOrString value, int of) {
        return value.isInteger()
                ? value.getIntValue()
                : Math.ceilDiv(Integer.parseInt(value.getStrValue().replace("%", "")) * of, 100);
    }
}
