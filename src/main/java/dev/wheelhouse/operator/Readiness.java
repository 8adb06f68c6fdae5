package dev.wheelhouse.operator;

import io.kubernetes.client.common.KubernetesObject;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.facts.Schemas;

/**
 * Tells whether an object is ready, as the steps of a {@link Decision} ask ({@link Decision#then}):
 *
 * <ul>
 * <li>a Deployment, StatefulSet, DaemonSet, ReplicaSet or ReplicationController, if its pods are new and available
 * (upstream: {@code kubectl rollout status}),
 * <li>a Job, if it is complete,
 * <li>a Pod, if it is ready or has succeeded,
 * <li>a PersistentVolumeClaim, if it is bound,
 * <li>a Service of the type LoadBalancer, if it has an address,
 * <li>a Namespace, if it is active,
 * <li>a CustomResourceDefinition, if it is established; an APIService, if it is available,
 * <li>any other object of Kubernetes itself, if it exists and has no condition {@code Ready} that is not true,
 * <li>a custom resource, if its condition {@code Ready} is true.
 * </ul>
 *
 * An object that is being deleted, or whose controller has not observed its newest generation, is not ready.
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
        JsonNode tree = ModelJson.tree(object);
        JsonNode spec = tree.path("spec");
        JsonNode status = tree.path("status");
        if (tree.path("metadata").has("deletionTimestamp")) {
            return "it is being deleted";
        }
        boolean untyped = object instanceof Unstructured;
        ResourceType type = untyped ? null : ResourceTypes.of(object.getClass());
        String kind = type == null ? String.valueOf(object.getKind()) : type.kind();
        String apiVersion = type == null ? String.valueOf(object.getApiVersion()) : type.apiVersion();
        long wanted = spec.path("replicas").asLong(1);
        boolean onDelete = spec.at("/updateStrategy/type").asString("").equals("OnDelete");
        boolean builtIn = Schemas.ofKind(apiVersion, kind) != null;
        return switch (builtIn ? kind : "") {
            case "Deployment" -> first(unobserved(tree, true), fewer(status, "updatedReplicas", wanted),
                    status.path("replicas").asLong(0) > status.path("updatedReplicas").asLong(0)
                            ? "pods of an earlier template have not ended"
                            : "",
                    fewer(status, "availableReplicas", wanted));
            case "StatefulSet" -> first(unobserved(tree, true), fewer(status, "readyReplicas", wanted), onDelete
                    ? ""
                    : fewer(status, "updatedReplicas",
                            wanted - spec.at("/updateStrategy/rollingUpdate/partition").asLong(0)));
            case "DaemonSet" -> {
                long nodes = status.path("desiredNumberScheduled").asLong(0);
                yield first(unobserved(tree, true), onDelete ? "" : fewer(status, "updatedNumberScheduled", nodes),
                        fewer(status, "numberAvailable", nodes));
            }
            case "ReplicaSet", "ReplicationController" ->
                first(unobserved(tree, true), fewer(status, "availableReplicas", wanted));
            case "Job" -> {
                JsonNode failed = StatusChange.find(status.path("conditions"), "Failed");
                yield failed != null && isTrue(failed)
                        ? "it has failed: " + failed.path("message").asString("")
                        : condition(tree, "Complete", "it has not completed");
            }
            case "Pod" -> status.path("phase").asString("").equals("Succeeded")
                    ? ""
                    : condition(tree, "Ready", "it is " + status.path("phase").asString("Pending"));
            case "PersistentVolumeClaim" -> phase(status, "Bound");
            case "Namespace" -> phase(status, "Active");
            case "Service" -> spec.path("type").asString("").equals("LoadBalancer")
                    && status.at("/loadBalancer/ingress").isEmpty() ? "it has no address yet" : "";
            case "CustomResourceDefinition" -> condition(tree, "Established", "it is not established");
            case "APIService" -> condition(tree, "Available", "it is not available");
            default -> first(unobserved(tree, false), condition(tree, "Ready", builtIn
                    ? ""
                    : "it has no condition Ready. If it never has one, say by readyWhen when it is ready"));
        };
    }

    private static String first(String... reasons) {
        for (String reason : reasons) {
            if (!reason.isEmpty()) {
                return reason;
            }
        }
        return "";
    }

    /** @param always whether every controller of the type sets {@code observedGeneration} */
    private static String unobserved(JsonNode tree, boolean always) {
        JsonNode observed = tree.at("/status/observedGeneration");
        return (always || observed.isNumber())
                && observed.asLong(0) < tree.at("/metadata/generation").asLong(0)
                        ? "its controller has not observed its last change"
                        : "";
    }

    private static String fewer(JsonNode status, String field, long wanted) {
        long now = status.path(field).asLong(0);
        return now < wanted ? field + " is " + now + " of " + wanted : "";
    }

    private static String phase(JsonNode status, String wanted) {
        String now = status.path("phase").asString("Pending");
        return now.equals(wanted) ? "" : "it is " + now;
    }

    private static boolean isTrue(JsonNode condition) {
        return condition.path("status").asString("").equals("True");
    }

    /** @param missing the reason if there is no such condition */
    private static String condition(JsonNode tree, String type, String missing) {
        JsonNode condition = StatusChange.find(tree.at("/status/conditions"), type);
        if (condition == null) {
            return missing;
        }
        if (condition.path("observedGeneration").asLong(Long.MAX_VALUE) < tree.at("/metadata/generation").asLong(0)) {
            return "its condition " + type + " is of an earlier generation";
        }
        String message = condition.path("message").asString("");
        return isTrue(condition)
                ? ""
                : type + " is " + condition.path("status").asString("") + (message.isEmpty() ? "" : ": " + message);
    }
}
