package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.BooleanNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.ResourceValidation;
import dev.wheelhouse.apiserver.validation.Subject;

/** Nodes. They write their status when they register (upstream: {@code pkg/registry/core/node}). */
final class NodeStrategy extends Strategy {
    private static final String ROLE_PREFIX = "node-role.kubernetes.io/";
    private static final String ROLE = "kubernetes.io/role";
    private static final Pattern FEATURE = Pattern.compile("[A-Z][A-Za-z0-9]*(?:/[a-zA-Z0-9]+)*");

    NodeStrategy() {
        super("", "Node",
                Map.of("status", NodeStrategy::status, "roles", NodeStrategy::roles, "kernel", NodeStrategy::kernel));
    }

    private static Item info(Item node) {
        return node.part("status", "nodeInfo");
    }

    private static String status(Item node) {
        String ready = switch (node.ofType("Ready", "status", "conditions").text("status")) {
            case "" -> "Unknown";
            case "True" -> "Ready";
            default -> "NotReady";
        };
        return ready + (node.flag("spec", "unschedulable") ? ",SchedulingDisabled" : "");
    }

    private static String roles(Item node) {
        TreeSet<String> roles = new TreeSet<>();
        node.entries("metadata", "labels").forEach((key, value) -> {
            if (key.startsWith(ROLE_PREFIX)) {
                roles.add(key.substring(ROLE_PREFIX.length()));
            } else if (key.equals(ROLE)) {
                roles.add(value);
            }
        });
        roles.remove("");
        return roles.isEmpty() ? Item.NONE : String.join(",", roles);
    }

    private static String kernel(Item node) {
        String architecture = info(node).text("architecture");
        return info(node).textOr(Item.UNKNOWN, "kernelVersion")
                + (architecture.isEmpty() ? "" : " (" + architecture + ")");
    }

    static void amounts(Subject node) {
        for (String list : List.of("capacity", "allocatable")) {
            node.value().path("status").path(list).properties().forEach(amount -> ResourceValidation.amount(
                    amount.getKey(), amount.getValue(), "status." + list + "." + amount.getKey(), node.problems()));
        }
    }

    static void uniqueTaint(Subject taint) {
        String key = Json.text(taint.value(), "key") + ":" + Json.text(taint.value(), "effect");
        if (!taint.isNew("taints", StringNode.valueOf(key))) {
            taint.problems().duplicate(taint.path(), "\"" + key + "\"");
        }
    }

    /** Tolerations are equal whatever their seconds are. */
    static void uniqueToleration(Subject toleration) {
        JsonNode value = toleration.value();
        ObjectNode key = Json.object().put("Key", Json.text(value, "key")).put("Operator", Json.text(value, "operator"))
                .put("Value", Json.text(value, "value")).put("Effect", Json.text(value, "effect"));
        if (!toleration.isNew("tolerations", key)) {
            JsonNode seconds = value.get("tolerationSeconds");
            toleration.problems().duplicate(toleration.path(), key.deepCopy().set("TolerationSeconds", seconds)
                    .toString());
        }
    }

    static void avoidedPods(Subject annotation) {
        String path = "metadata.annotations.scheduler.alpha.kubernetes.io/preferAvoidPods";
        JsonNode avoided;
        try {
            avoided = Json.read(annotation.text());
        } catch (JacksonException e) {
            annotation.problems().invalid("metadata.annotations.AvoidPods",
                    "scheduler.alpha.kubernetes.io/preferAvoidPods", String.valueOf(e.getOriginalMessage()));
            return;
        }
        Problems.each(avoided.path("preferAvoidPods"), path, (entry, at) -> {
            JsonNode controller = entry.path("podSignature").path("podController");
            if (!controller.isObject()) {
                annotation.problems().required(at + ".PodSignature");
            } else if (!controller.path("controller").asBoolean(false)) {
                annotation.problems().invalid(at + ".PodSignature.PodController.Controller", BooleanNode.FALSE,
                        "must point to a controller");
            }
        });
    }

    static void declaredFeatures(Subject features) {
        String[] before = {""};
        Problems.each(features.value(), features.path(), (node, at) -> {
            String feature = node.asString("");
            String wrong = feature.length() > 253
                    ? "must be no more than 253 characters"
                    : FEATURE.matcher(feature).matches()
                            ? ""
                            : "must start with an UpperCamelCase segment, with subsequent segments separated by '/'"
                                    + " (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric"
                                    + " characters and slashes";
            if (!wrong.isEmpty()) {
                features.problems().invalid(at, feature,
                        "invalid feature name " + StringNode.valueOf(feature) + ": " + wrong);
            }
            if (feature.equals(before[0])) {
                features.problems().duplicate(at, node.toString());
            } else if (before[0].compareTo(feature) > 0) {
                features.problems().invalid(at, feature, "list must be sorted alphabetically");
            }
            before[0] = feature;
        });
    }
}
