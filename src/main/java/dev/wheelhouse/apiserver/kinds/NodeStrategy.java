package dev.wheelhouse.apiserver.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.ResourceValidation;
import dev.wheelhouse.facts.ResourceInfo;

/** Nodes. They write their status when they register (upstream: {@code pkg/registry/core/node}). */
final class NodeStrategy extends Strategy {
    private static final String ROLE_PREFIX = "node-role.kubernetes.io/";
    private static final String ROLE = "kubernetes.io/role";

    NodeStrategy() {
        super("", "Node", TableColumn.objectName(),
                TableColumn.of("Status", "Whether the node is ready, and whether it takes pods.", NodeStrategy::status),
                TableColumn.of("Roles", "Roles that the node's labels name.", NodeStrategy::roles),
                TableColumn.age(),
                TableColumn.of("Version", "Version of the kubelet.", o -> info(o).text("kubeletVersion")),
                TableColumn.of("Internal-IP", "Address within the cluster.", o -> address(o, "InternalIP")).wide(),
                TableColumn.of("External-IP", "Address outside of the cluster.", o -> address(o, "ExternalIP")).wide(),
                TableColumn.of("OS-Image", "Operating system.", o -> info(o).textOr(Item.UNKNOWN, "osImage")).wide(),
                TableColumn.of("Kernel-Version", "Version of the kernel, and the machine's architecture.",
                        NodeStrategy::kernel).wide(),
                TableColumn.of("Container-Runtime", "Container runtime and its version.",
                        o -> info(o).textOr(Item.UNKNOWN, "containerRuntimeVersion")).wide());
    }

    @Override
    public boolean dropsStatus(ResourceInfo info) {
        return false;
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

    private static String address(Item node, String type) {
        return node.ofType(type, "status", "addresses").textOr(Item.NONE, "address");
    }

    private static String kernel(Item node) {
        String architecture = info(node).text("architecture");
        return info(node).textOr(Item.UNKNOWN, "kernelVersion")
                + (architecture.isEmpty() ? "" : " (" + architecture + ")");
    }

    @Override
    protected void validate(ObjectNode node, Problems problems) {
        JsonNode spec = node.path("spec");
        amounts(node, problems);
        Set<String> seen = new HashSet<>();
        Problems.each(spec.path("taints"), "metadata.taints", (taint, at) -> {
            String key = Json.text(taint, "key");
            problems.invalid(at + ".key", key, Formats.qualifiedName(key));
            String value = Json.text(taint, "value");
            problems.invalid(at + ".value", value, Formats.labelValue(value));
            String effect = Json.text(taint, "effect");
            if (effect.isEmpty()) {
                problems.required(at + ".effect");
            } else if (!List.of("NoSchedule", "PreferNoSchedule", "NoExecute").contains(effect)) {
                problems.notSupported(at + ".effect", effect, "NoSchedule", "PreferNoSchedule", "NoExecute");
            }
            problems.unique(seen, key + " " + effect, at, "\"" + key + ":" + effect + "\"");
        });
        Problems.each(spec.path("podCIDRs"), "spec.podCIDRs", (range, at) -> {
            problems.invalid(at, range.asString(""),
                    Formats.cidr(range.asString("")));
        });
    }

    private static void amounts(ObjectNode node, Problems problems) {
        for (String list : List.of("capacity", "allocatable")) {
            node.path("status").path(list).properties().forEach(amount -> ResourceValidation.amount(amount.getKey(),
                    amount.getValue(), "status." + list + "." + amount.getKey(), problems));
        }
    }

    @Override
    protected void validateStatus(ObjectNode node, ObjectNode old, Problems problems) {
        amounts(node, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode node, ObjectNode old, Problems problems) {
        validate(node, problems);
        JsonNode now = node.path("spec");
        JsonNode before = old.path("spec");
        if (!before.path("podCIDRs").isEmpty() && !before.path("podCIDRs").equals(now.path("podCIDRs"))) {
            problems.forbidden("spec.podCIDRs", "node updates may not change podCIDR except from \"\" to valid");
        }
        String provider = Json.text(before, "providerID");
        if (!provider.isEmpty() && !provider.equals(Json.text(now, "providerID"))) {
            problems.forbidden("spec.providerID", "node updates may not change providerID except from \"\" to valid");
        }
    }
}
