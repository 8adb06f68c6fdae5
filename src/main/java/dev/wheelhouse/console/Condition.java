package dev.wheelhouse.console;

import java.util.Comparator;
import java.util.List;
import java.util.Objects;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ContainerStateWaiting;
import io.kubernetes.client.openapi.models.V1ContainerStatus;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;
import io.kubernetes.client.openapi.models.V1PodStatus;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.client.ModelJson;

/**
 * The condition of an object in two words.
 *
 * @param text such as {@code 3/3 ready} or {@code CrashLoopBackOff}; empty if nothing is known
 */
record Condition(Level level, String text) {
    /** How well the object is; the worst level comes first. */
    enum Level {
        BAD, WAIT, OK, DONE
    }

    static final Comparator<Condition> WORST_FIRST = Comparator.comparing(Condition::level);
    private static final Condition UNKNOWN = new Condition(Level.OK, "");

    static Condition of(KubernetesObject object) {
        if (object.getMetadata().getDeletionTimestamp() != null) {
            return new Condition(Level.WAIT, "terminating");
        }
        return switch (object) {
            case V1Pod pod -> of(pod);
            case PartialObjectMetadata metadata -> UNKNOWN;
            default -> of(ModelJson.tree(object));
        };
    }

    private static Condition of(V1Pod pod) {
        V1PodStatus status = pod.getStatus();
        String phase = status == null ? "" : Objects.requireNonNullElse(status.getPhase(), "");
        if (status == null || phase.isEmpty()) {
            return new Condition(Level.WAIT, "not seen by a node");
        }
        for (V1ContainerStatus container : Objects.requireNonNullElse(status.getContainerStatuses(),
                List.<V1ContainerStatus>of())) {
            V1ContainerStateWaiting waiting = container.getState() == null ? null : container.getState().getWaiting();
            if (waiting != null && waiting.getReason() != null && isTrouble(waiting.getReason())) {
                return new Condition(Level.BAD, waiting.getReason());
            }
        }
        return switch (phase) {
            case "Succeeded" -> new Condition(Level.DONE, "succeeded");
            case "Failed" -> new Condition(Level.BAD, Objects.requireNonNullElse(status.getReason(), "failed"));
            case "Running" -> isTrue(status, "Ready")
                    ? new Condition(Level.OK, "ready")
                    : new Condition(Level.WAIT, "not ready");
            default -> new Condition(Level.WAIT, isTrue(status, "PodScheduled") ? "starting" : "not scheduled");
        };
    }

    private static boolean isTrouble(String reason) {
        return !reason.equals("ContainerCreating") && !reason.equals("PodInitializing");
    }

    private static boolean isTrue(V1PodStatus status, String type) {
        for (V1PodCondition condition : Objects.requireNonNullElse(status.getConditions(),
                List.<V1PodCondition>of())) {
            if (type.equals(condition.getType())) {
                return "True".equals(condition.getStatus());
            }
        }
        return false;
    }

    private static Condition of(JsonNode object) {
        JsonNode status = object.path("status");
        if (isStatus(status, "Failed", "True") || isStatus(status, "Progressing", "False")) {
            return new Condition(Level.BAD, isStatus(status, "Failed", "True") ? "failed" : "does not progress");
        }
        if (isStatus(status, "Complete", "True")) {
            return new Condition(Level.DONE, "complete");
        }
        JsonNode replicas = object.path("spec").path("replicas");
        if (replicas.isInt() && (status.has("replicas") || replicas.asInt() == 0)) {
            return ready(status.path("readyReplicas").asInt(0), replicas.asInt());
        }
        if (status.has("desiredNumberScheduled")) {
            return ready(status.path("numberReady").asInt(0), status.path("desiredNumberScheduled").asInt());
        }
        if (isStatus(status, "Ready", "False") || isStatus(status, "Ready", "Unknown")) {
            return new Condition(Level.BAD, "not ready");
        }
        String phase = status.path("phase").stringValue("");
        return switch (phase) {
            case "" -> UNKNOWN;
            case "Pending" -> new Condition(Level.WAIT, "pending");
            case "Lost", "Failed" -> new Condition(Level.BAD, phase);
            default -> new Condition(Level.OK, phase);
        };
    }

    private static Condition ready(int ready, int wanted) {
        return new Condition(wanted == 0 ? Level.DONE : ready >= wanted ? Level.OK : Level.WAIT,
                ready + "/" + wanted + " ready");
    }

    private static boolean isStatus(JsonNode status, String type, String value) {
        for (JsonNode condition : status.path("conditions")) {
            if (condition.path("type").stringValue("").equals(type)) {
                return condition.path("status").stringValue("").equals(value);
            }
        }
        return false;
    }
}
