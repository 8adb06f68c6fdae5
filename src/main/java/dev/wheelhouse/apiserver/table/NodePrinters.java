package dev.wheelhouse.apiserver.table;

import java.util.List;
import java.util.Map;
import java.util.TreeSet;

import static dev.wheelhouse.apiserver.table.Item.NONE;
import static dev.wheelhouse.apiserver.table.Item.UNKNOWN;

/** Nodes. */
final class NodePrinters {
    private static final String ROLE_PREFIX = "node-role.kubernetes.io/";
    private static final String ROLE = "kubernetes.io/role";

    private NodePrinters() {}

    static void addTo(Map<String, List<Column>> all) {
        all.put("/Node", List.of(Column.objectName(),
                Column.of("Status", "Whether the node is ready, and whether it takes pods.", NodePrinters::status),
                Column.of("Roles", "What the node's labels say that it is for.", NodePrinters::roles),
                Column.age(),
                Column.of("Version", "Version of the kubelet.", o -> info(o).text("kubeletVersion")),
                Column.of("Internal-IP", "Address within the cluster.", o -> address(o, "InternalIP")).wide(),
                Column.of("External-IP", "Address that others reach it by.", o -> address(o, "ExternalIP")).wide(),
                Column.of("OS-Image", "Operating system.", o -> info(o).textOr(UNKNOWN, "osImage")).wide(),
                Column.of("Kernel-Version", "Version of the kernel, and the machine's architecture.",
                        NodePrinters::kernel).wide(),
                Column.of("Container-Runtime", "Container runtime and its version.",
                        o -> info(o).textOr(UNKNOWN, "containerRuntimeVersion")).wide()));
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
        return roles.isEmpty() ? NONE : String.join(",", roles);
    }

    private static String address(Item node, String type) {
        return node.ofType(type, "status", "addresses").textOr(NONE, "address");
    }

    private static String kernel(Item node) {
        String architecture = info(node).text("architecture");
        return info(node).textOr(UNKNOWN, "kernelVersion")
                + (architecture.isEmpty() ? "" : " (" + architecture + ")");
    }
}
