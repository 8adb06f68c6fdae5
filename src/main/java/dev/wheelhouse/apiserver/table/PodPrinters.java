package dev.wheelhouse.apiserver.table;

import java.util.List;
import java.util.Map;

import static dev.wheelhouse.apiserver.table.Item.NONE;

/** Pods and pod templates. */
final class PodPrinters {
    private PodPrinters() {}

    static void addTo(Map<String, List<Column>> all) {
        all.put("/Pod", List.of(Column.objectName(),
                Column.of("Ready", "How many of the pod's containers are ready.", o -> PodState.of(o).ready()),
                Column.of("Status", "What the pod as a whole is doing.", o -> PodState.of(o).reason()),
                Column.of("Restarts", "How often containers of the pod were restarted, and when the last time.",
                        o -> PodState.of(o).restarts()),
                Column.age(),
                Column.of("IP", "First address of the pod.", PodPrinters::ip).wide(),
                Column.of("Node", "Node that the pod is bound to.", o -> o.textOr(NONE, "spec", "nodeName")).wide(),
                Column.of("Nominated Node", "Node where room is being made for the pod.",
                        o -> o.textOr(NONE, "status", "nominatedNodeName")).wide(),
                Column.of("Readiness Gates", "How many of the extra conditions for readiness hold.",
                        PodPrinters::readinessGates).wide()));
    }

    private static String ip(Item pod) {
        List<Item> ips = pod.items("status", "podIPs");
        return ips.isEmpty() ? pod.textOr(NONE, "status", "podIP") : ips.getFirst().textOr(NONE, "ip");
    }

    private static String readinessGates(Item pod) {
        List<Item> gates = pod.items("spec", "readinessGates");
        if (gates.isEmpty()) {
            return NONE;
        }
        long open = gates.stream().filter(gate -> pod.isTrue(gate.text("conditionType"))).count();
        return open + "/" + gates.size();
    }
}
