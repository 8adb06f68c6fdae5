package dev.wheelhouse.operator;

import io.kubernetes.client.common.KubernetesObject;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.health.Health;

/**
 * Tells whether an object is ready, as the steps of a {@link Decision} ask ({@link Decision#then}): it is healthy by
 * its own status, as {@link Health} says. Workloads are once their pods are new and available, a Job or a pod that runs
 * to its end once it has succeeded, a claim once it is bound, a Service of the type LoadBalancer once it has an
 * address. A custom resource has to have a condition {@code Ready} that is true; an object of Kubernetes itself without
 * a state just has to exist. An object that is being deleted, or whose controller has not observed its newest
 * generation, is not ready.
 */
public final class Readiness {
    private Readiness() {}

    /** @throws IllegalArgumentException if the class of the object belongs to no resource type */
    public static boolean isReady(KubernetesObject object) {
        return whyNot(object).isEmpty();
    }

    /**
     * The reason why an object is not ready, in a clause; empty if it is ready.
     *
     * @throws IllegalArgumentException if the class of the object belongs to no resource type
     */
    public static String whyNot(KubernetesObject object) {
        ObjectNode tree = (ObjectNode) ModelJson.tree(object);
        if (!(object instanceof Unstructured)) {
            ResourceType type = ResourceTypes.of(object.getClass());
            tree.put("apiVersion", type.apiVersion()).put("kind", type.kind());
        }
        Health health = Health.of(tree);
        if (health.level() != Health.Level.HEALTHY) {
            return health.cause().isEmpty() ? health.text() : health.text() + ": " + health.cause();
        }
        boolean builtIn = Schemas.ofKind(tree.path("apiVersion").asString(""), tree.path("kind").asString("")) != null;
        return builtIn || StatusChange.find(tree.at("/status/conditions"), "Ready") != null
                ? ""
                : "it has no condition Ready. If it never has one, say by readyWhen when it is ready";
    }
}
