package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.ResourceValidation;
import dev.wheelhouse.apiserver.validation.Rules.Check;
import dev.wheelhouse.apiserver.validation.Subject;

/** Nodes. They write their status when they register (upstream: {@code pkg/registry/core/node}). */
final class NodeStrategy extends Strategy {
    private static final String ROLE_PREFIX = "node-role.kubernetes.io/";
    private static final String ROLE = "kubernetes.io/role";

    NodeStrategy() {
        super("", "Node",
                Map.of("status", NodeStrategy::status, "roles", NodeStrategy::roles, "kernel", NodeStrategy::kernel));
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put("io.k8s.api.core.v1.NodeStatus", status -> {
            JsonNode capacity = Json.at(status, "capacity");
            if (capacity != null && Json.at(status, "allocatable") == null) {
                status.set("allocatable", capacity.deepCopy());
            }
        });
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

    @Override
    protected void addChecks(Map<String, Check> checks) {
        checks.put("amounts", NodeStrategy::amounts);
        checks.put("uniqueTaint", NodeStrategy::taint);
    }

    private static void amounts(Subject node) {
        for (String list : List.of("capacity", "allocatable")) {
            node.value().path("status").path(list).properties().forEach(amount -> ResourceValidation.amount(
                    amount.getKey(), amount.getValue(), "status." + list + "." + amount.getKey(), node.problems()));
        }
    }

    private static void taint(Subject taint) {
        String key = Json.text(taint.value(), "key") + ":" + Json.text(taint.value(), "effect");
        if (!taint.isNew("taints", StringNode.valueOf(key))) {
            taint.problems().duplicate(taint.path(), "\"" + key + "\"");
        }
    }
}
