package dev.wheelhouse.apiserver.rest;

import java.util.List;

import io.kubernetes.client.openapi.models.V1LabelSelector;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.protocol.Accept;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.Bodies;
import dev.wheelhouse.apiserver.protocol.DeleteOptions;
import dev.wheelhouse.apiserver.protocol.Renderer;
import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.runtime.Clock;

/**
 * The eviction subresource: deletes a pod if its PodDisruptionBudget allows a disruption, and counts the disruption in
 * the budget's status until the disruption controller counts anew (upstream:
 * {@code pkg/registry/core/pod/storage/eviction.go}).
 */
record Evictions(Reads reads, Deletes deletes, Writes writes, Renderer renderer, Clock clock) {
    private static final String BUDGETS = "poddisruptionbudgets.policy";
    private static final String VIOLATION = "Cannot evict pod as it would violate the pod's disruption budget.";
    private static final ResourceType EVICTION = new ResourceType("policy", "v1", "evictions", "Eviction", true);
    /**
     * Upstream's MaxDisruptedPodSize. A longer map of unconfirmed evictions means that the controller is not working.
     */
    private static final int MOST_UNCONFIRMED = 2000;
    private static final int RETRY_AFTER_SECONDS = 10;

    /** @throws ApiException 404 if there is no such pod, 429 if its budget is spent, 500 if it has two budgets */
    ApiResponse evict(Target target, ApiRequest request) {
        Accept accept = Accept.parse(request, target);
        ObjectNode eviction = Bodies.object(request, EVICTION);
        String namespace = Meta.namespace(eviction);
        if (!namespace.isEmpty() && !namespace.equals(target.namespace())) {
            throw Errors.foreignNamespace();
        }
        if (!Meta.name(eviction).equals(target.name())) {
            throw Errors.badRequest("name in URL does not match name in Eviction object");
        }
        eviction = writes.admit(target, eviction, request);
        StoredObject stored = reads.find(target);
        ObjectNode options = eviction.get("deleteOptions") instanceof ObjectNode given ? given : Json.object();
        boolean dryRun = request.isDryRun() || options.get("dryRun") instanceof ArrayNode values && !values.isEmpty();
        DeleteOptions.of(options);
        if (!needsNoBudget(stored)) {
            List<StoredObject> budgets = budgets(stored);
            if (budgets.size() > 1) {
                throw Errors.internal(
                        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not "
                                + "support.");
            }
            if (!budgets.isEmpty() && !mayGoUnhealthy(stored, budgets.getFirst().tree())) {
                spend(budgets.getFirst(), target.name(), dryRun);
            }
        }
        if (!dryRun && Json.at(options, "preconditions", "resourceVersion") == null) {
            markDisrupted(stored);
        }
        if (dryRun) {
            options.putArray("dryRun").add("All");
        }
        deletes.delete(target.plain(), DeleteOptions.of(options));
        return renderer.response(201, Errors.success().put("code", 201), accept.ofObject());
    }

    /** Whether the pod disrupts nothing, because it does not run yet or any more, or is being deleted already. */
    private static boolean needsNoBudget(StoredObject pod) {
        String phase = String.valueOf(pod.field("status.phase"));
        return !phase.equals("Running") && !phase.equals("Unknown") || Meta.isDeleting(pod.tree());
    }

    private List<StoredObject> budgets(StoredObject pod) {
        return reads.store().snapshot(BUDGETS)
                .select(Selection.inNamespace(pod.namespace())).stream()
                .filter(budget -> {
                    JsonNode selector = Json.at(budget.tree(), "spec", "selector");
                    return selector != null && LabelSelector.of(ModelJson.read(selector, V1LabelSelector.class))
                            .matches(pod.labels());
                }).toList();
    }

    /** Whether the pod is not ready, and its budget always lets such pods go or has enough healthy pods without it. */
    private static boolean mayGoUnhealthy(StoredObject pod, ObjectNode budget) {
        if (isReady(pod.tree())) {
            return false;
        }
        long desired = Json.number(budget, 0, "status", "desiredHealthy");
        return Json.text(budget, "spec", "unhealthyPodEvictionPolicy").equals("AlwaysAllow")
                || desired > 0 && Json.number(budget, 0, "status", "currentHealthy") >= desired;
    }

    private static boolean isReady(ObjectNode pod) {
        return pod.path("status").path("conditions").valueStream().anyMatch(condition -> Json
                .text(condition, "type").equals("Ready") && Json.text(condition, "status").equals("True"));
    }

    private void spend(StoredObject budget, String pod, boolean dryRun) {
        reads.store().guaranteedUpdate(BUDGETS, budget.namespace(), budget.name(), present -> {
            ObjectNode status = Json.child(present, "status");
            refuse(budget.name(), present, status);
            long left = Json.number(status, 0, "disruptionsAllowed") - 1;
            status.put("disruptionsAllowed", left);
            if (left == 0) {
                condition(status);
            }
            Json.child(status, "disruptedPods").put(pod, Meta.time(clock.now()));
            return !dryRun;
        });
    }

    private static void refuse(String name, ObjectNode budget, ObjectNode status) {
        if (Json.number(status, 0, "observedGeneration") < Json.number(budget, 0, "metadata", "generation")) {
            throw Errors.tooManyRequests(VIOLATION,
                    "The disruption budget " + name + " is still being processed by the server.", RETRY_AFTER_SECONDS);
        }
        long allowed = Json.number(status, 0, "disruptionsAllowed");
        if (allowed < 0) {
            throw Errors.forbidden(ResourceType.POD_DISRUPTION_BUDGETS, name, "pdb disruptions allowed is negative");
        }
        if (status.path("disruptedPods").size() > MOST_UNCONFIRMED) {
            throw Errors.forbidden(ResourceType.POD_DISRUPTION_BUDGETS, name,
                    "DisruptedPods map too big - too many evictions not confirmed by PDB controller");
        }
        if (allowed == 0) {
            String cause = "The disruption budget " + name + " needs " + Json.number(status, 0, "desiredHealthy")
                    + " healthy pods and has " + Json.number(status, 0, "currentHealthy") + " currently";
            for (JsonNode condition : status.path("conditions")) {
                if (Json.text(condition, "reason").equals("SyncFailed")) {
                    cause = "The disruption budget " + name
                            + " does not allow evicting pods currently because it failed sync: "
                            + Json.text(condition, "message");
                }
            }
            throw Errors.tooManyRequests(VIOLATION, cause, 0);
        }
    }

    private void condition(ObjectNode status) {
        for (JsonNode condition : status.path("conditions")) {
            if (Json.text(condition, "type").equals("DisruptionAllowed") && condition instanceof ObjectNode allowed) {
                allowed.put("status", "False").put("reason", "InsufficientPods").put("message", "")
                        .put("lastTransitionTime", Meta.time(clock.now()));
            }
        }
    }

    /** Sets the condition DisruptionTarget, by which the pod's controller knows the reason of the deletion. */
    private void markDisrupted(StoredObject stored) {
        reads.store().guaranteedUpdate("pods", stored.namespace(), stored.name(), pod -> {
            PodSubresources.withoutCondition(Json.child(pod, "status"), "DisruptionTarget").addObject()
                    .put("type", "DisruptionTarget").put("status", "True")
                    .put("reason", "EvictionByEvictionAPI").put("message", "Eviction API: evicting")
                    .put("lastTransitionTime", Meta.time(clock.now())).putNull("lastProbeTime");
            return Json.text(pod, "metadata", "uid").equals(stored.uid());
        });
    }
}
