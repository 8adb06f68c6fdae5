package dev.wheelhouse.apiserver.kinds;

import java.util.List;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;

/** The rules of the status of workloads, pods and namespaces (upstream: the {@code …StatusUpdate} validations). */
final class StatusValidation {
    private StatusValidation() {}

    static void update(String kind, ObjectNode object, ObjectNode old, Problems problems) {
        JsonNode status = object.path("status");
        switch (kind) {
            case "apps/Deployment" -> {
                nonNegative(status, problems, "observedGeneration", "replicas", "updatedReplicas", "readyReplicas",
                        "availableReplicas", "unavailableReplicas", "terminatingReplicas", "collisionCount");
                notMoreThanReplicas(status, problems, "updatedReplicas", "readyReplicas", "availableReplicas");
                collisionsGrow(status, old, problems);
            }
            case "apps/ReplicaSet", "/ReplicationController" -> {
                nonNegative(status, problems, "replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas",
                        "observedGeneration", "terminatingReplicas");
                notMoreThanReplicas(status, problems, "fullyLabeledReplicas", "readyReplicas", "availableReplicas");
            }
            case "apps/StatefulSet" -> {
                nonNegative(status, problems, "replicas", "readyReplicas", "currentReplicas", "updatedReplicas",
                        "availableReplicas", "observedGeneration", "collisionCount");
                notMoreThanReplicas(status, problems, "readyReplicas", "currentReplicas", "updatedReplicas",
                        "availableReplicas");
                collisionsGrow(status, old, problems);
            }
            case "apps/DaemonSet" -> {
                nonNegative(status, problems, "currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled",
                        "numberReady", "observedGeneration", "updatedNumberScheduled", "numberAvailable",
                        "numberUnavailable", "collisionCount");
                collisionsGrow(status, old, problems);
            }
            case "/Namespace" -> namespace(object, problems);
            case "/Pod" -> pod(status, old, problems);
            default -> {
                // no rules of its own
            }
        }
    }

    private static void nonNegative(JsonNode status, Problems problems, String... fields) {
        for (String field : fields) {
            problems.nonNegative(status, "status", field);
        }
    }

    private static void notMoreThanReplicas(JsonNode status, Problems problems, String... fields) {
        long replicas = Json.number(status, 0, "replicas");
        for (String field : fields) {
            long value = Json.number(status, 0, field);
            if (value > replicas) {
                problems.invalid("status." + field, value, "cannot be greater than status.replicas");
            }
        }
        long available = Json.number(status, 0, "availableReplicas");
        if (List.of(fields).contains("availableReplicas") && available > Json.number(status, 0, "readyReplicas")) {
            problems.invalid("status.availableReplicas", available, "cannot be greater than readyReplicas");
        }
    }

    private static void collisionsGrow(JsonNode status, ObjectNode old, Problems problems) {
        long count = Json.number(status, 0, "collisionCount");
        if (count < Json.number(old, 0, "status", "collisionCount")) {
            problems.invalid("status.collisionCount", count, "cannot be decremented");
        }
    }

    private static void pod(JsonNode status, ObjectNode old, Problems problems) {
        String nominated = Json.text(status, "nominatedNodeName");
        if (!nominated.isEmpty()) {
            problems.invalid("status.nominatedNodeName", nominated, Formats.dnsSubdomain(nominated));
        }
        int i = 0;
        for (JsonNode condition : status.path("conditions")) {
            String type = Json.text(condition, "type");
            problems.invalid(Problems.at("status.conditions", i++) + ".Type", type, Formats.qualifiedName(type));
        }
        i = 0;
        boolean valid = true;
        for (JsonNode address : status.path("podIPs")) {
            List<String> wrong = Formats.ip(Json.text(address, "ip"));
            valid &= wrong.isEmpty();
            problems.invalid(Problems.at("status.podIPs", i++), Json.text(address, "ip"), wrong);
        }
        if (valid && (i > 2 || i == 2 && Json.text(status.path("podIPs").get(0), "ip")
                .contains(":") == Json.text(status.path("podIPs").get(1), "ip").contains(":"))) {
            problems.invalid("status.podIPs", status.get("podIPs"),
                    "may specify no more than one IP for each IP family");
        }
        String before = Json.text(old, "status", "qosClass");
        String now = Json.text(status, "qosClass");
        if (!before.isEmpty() && !now.isEmpty() && !now.equals(before)) {
            problems.invalid("status.qosClass", now, "field is immutable");
        }
    }

    /** Checks the values of conditions. */
    static void conditions(JsonNode status, Problems problems) {
        int i = 0;
        for (JsonNode condition : status.path("conditions")) {
            String at = Problems.at("status.conditions", i++);
            String value = Json.text(condition, "status");
            if (!List.of("True", "False", "Unknown").contains(value)) {
                problems.notSupported(at + ".status", value, "False", "True", "Unknown");
            }
        }
    }

    private static void namespace(ObjectNode namespace, Problems problems) {
        boolean deleted = Json.at(namespace, "metadata", "deletionTimestamp") != null;
        String phase = Json.text(namespace, "status", "phase");
        if (!deleted && !phase.equals("Active")) {
            problems.invalid("status.Phase", phase, "may only be 'Active' if `deletionTimestamp` is empty");
        } else if (deleted && !phase.equals("Terminating")) {
            problems.invalid("status.Phase", phase, "may only be 'Terminating' if `deletionTimestamp` is not empty");
        }
    }
}
