package dev.wheelhouse.console;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import tools.jackson.databind.JsonNode;

/** The columns of a list of objects by their type, beside name, state and age. Pure. */
final class Columns {
    private static final String ROLE = "node-role.kubernetes.io/";

    private Columns() {}

    /** The titles, one for each of the {@link #cells}. */
    static List<String> titles(String type) {
        return switch (type) {
            case "pods" -> List.of("Ready", "Restarts", "Node", "Images", "IP");
            case "deployments.apps", "statefulsets.apps", "replicasets.apps", "replicationcontrollers",
                    "daemonsets.apps" ->
                List.of("Ready", "Images");
            case "jobs.batch" -> List.of("Succeeded", "Images");
            case "cronjobs.batch" -> List.of("Schedule", "Images");
            case "nodes" -> List.of("Roles", "Pods", "Version");
            default -> List.of();
        };
    }

    /**
     * The cells of one object.
     *
     * @param object in JSON; any part may be missing
     * @param pods the number of pods by the name of their node; empty if the caller may not know
     */
    static List<String> cells(String type, JsonNode object, Map<String, Integer> pods) {
        JsonNode spec = object.path("spec");
        JsonNode status = object.path("status");
        JsonNode template = spec.path("template").path("spec");
        return switch (type) {
            case "pods" -> {
                int ready = 0;
                int restarts = 0;
                for (JsonNode container : status.path("containerStatuses")) {
                    ready += container.path("ready").asBoolean(false) ? 1 : 0;
                    restarts += container.path("restartCount").asInt(0);
                }
                yield List.of(ready + "/" + spec.path("containers").size(), String.valueOf(restarts),
                        text(spec, "nodeName"), images(spec), text(status, "podIP"));
            }
            case "deployments.apps", "statefulsets.apps", "replicasets.apps", "replicationcontrollers" -> List.of(
                    number(status, "readyReplicas", 0) + "/" + number(spec, "replicas", 1), images(template));
            case "daemonsets.apps" -> List.of(number(status, "numberReady", 0) + "/"
                    + number(status, "desiredNumberScheduled", 0), images(template));
            case "jobs.batch" -> List.of(number(status, "succeeded", 0) + "/"
                    + number(spec, "completions", number(spec, "parallelism", 1)), images(template));
            case "cronjobs.batch" -> List.of(text(spec, "schedule"),
                    images(spec.path("jobTemplate").path("spec").path("template").path("spec")));
            case "nodes" -> List.of(String.join(", ", object.path("metadata").path("labels").propertyStream()
                    .map(Map.Entry::getKey).filter(label -> label.startsWith(ROLE))
                    .map(label -> label.substring(ROLE.length())).sorted().toList()),
                    pods.isEmpty()
                            ? ""
                            : Objects.toString(pods.getOrDefault(object.path("metadata").path("name")
                                    .asString(""), 0)),
                    text(status.path("nodeInfo"), "kubeletVersion"));
            default -> List.of();
        };
    }

    private static String images(JsonNode spec) {
        List<String> images = new ArrayList<>();
        spec.path("containers").forEach(container -> images.add(text(container, "image")));
        return String.join(", ", images);
    }

    private static String text(JsonNode node, String field) {
        return node.path(field).asString("");
    }

    private static int number(JsonNode node, String field, int absent) {
        return node.path(field).asInt(absent);
    }
}
