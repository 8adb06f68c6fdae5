package dev.wheelhouse.apiserver.table;

import java.util.List;
import java.util.Map;

/** Groups {@code scheduling.k8s.io}, {@code node.k8s.io} and {@code coordination.k8s.io}. */
final class SchedulingPrinters {
    private SchedulingPrinters() {}

    static void addTo(Map<String, List<Column>> all) {
        all.put("scheduling.k8s.io/PriorityClass", List.of(Column.objectName(),
                Column.integer("Value", "The priority: the greater, the more important.", o -> o.number("value")),
                Column.bool("Global-Default", "Whether pods without a class get this one.",
                        o -> o.flag("globalDefault")),
                Column.age(),
                Column.of("PreemptionPolicy", "Whether its pods may push others out.",
                        o -> o.text("preemptionPolicy"))));
        all.put("scheduling.k8s.io/Workload", List.of(Column.objectName(), Column.age()));
        all.put("scheduling.k8s.io/PodGroup", List.of(Column.objectName(),
                Column.of("Policy", "Whether the pods start together or one by one.",
                        o -> o.has("spec", "schedulingPolicy", "gang") ? "Gang" : "Basic"),
                Column.of("Workload", "Workload that the group belongs to.",
                        o -> o.textOr(Item.NONE, "spec", "podGroupTemplateRef", "workload", "workloadName")),
                Column.of("Status", "How far the group is.", SchedulingPrinters::podGroupState), Column.age()));
        all.put("node.k8s.io/RuntimeClass", List.of(Column.objectName(),
                Column.of("Handler", "Configuration of the container runtime.", o -> o.text("handler")),
                Column.age()));
        all.put("coordination.k8s.io/Lease", List.of(Column.objectName(),
                Column.of("Holder", "Who holds the lease.", o -> o.text("spec", "holderIdentity")), Column.age()));
        all.put("coordination.k8s.io/LeaseCandidate", List.of(Column.objectName(),
                Column.of("LeaseName", "Lease that it is a candidate for.", o -> o.text("spec", "leaseName")),
                Column.of("BinaryVersion", "Version of the candidate's program.",
                        o -> o.text("spec", "binaryVersion")),
                Column.of("EmulationVersion", "Version that the candidate behaves like.",
                        o -> o.text("spec", "emulationVersion")),
                Column.age()));
    }

    private static String podGroupState(Item group) {
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
