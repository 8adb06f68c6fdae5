package dev.wheelhouse.apiserver.kinds;

import dev.wheelhouse.apiserver.table.Column;
import dev.wheelhouse.apiserver.table.Item;

/** Groups of pods that are scheduled together (upstream: {@code pkg/registry/scheduling/podgroup}). */
final class PodGroupStrategy extends Strategy {
    PodGroupStrategy() {
        super("scheduling.k8s.io", "PodGroup", Column.objectName(),
                Column.of("Policy", "Whether the pods start together or one by one.",
                        o -> o.has("spec", "schedulingPolicy", "gang") ? "Gang" : "Basic"),
                Column.of("Workload", "Workload that the group belongs to.",
                        o -> o.textOr(Item.NONE, "spec", "podGroupTemplateRef", "workload", "workloadName")),
                Column.of("Status", "State of the group.", PodGroupStrategy::state), Column.age());
    }

    private static String state(Item group) {
        Item disruption = group.ofType("DisruptionTarget", "status", "conditions");
        if (!disruption.text("type").isEmpty()) {
            return disruption.text("reason");
        }
        return switch (group.ofType("PodGroupScheduled", "status", "conditions").text("status")) {
            case "" -> "Pending";
            case "True" -> "Scheduled";
            default -> "Unschedulable";
        };
    }
}
