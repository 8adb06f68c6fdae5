package dev.wheelhouse.apiserver.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The core group's small kinds. */
final class CorePrinters {
    private CorePrinters() {}

    static void addTo(Map<String, List<Column>> all) {
        all.put("/ConfigMap", List.of(Column.objectName(),
                Column.of("Data", "How many keys there are, text and binary.",
                        o -> o.size("data") + o.size("binaryData")),
                Column.age()));
        all.put("/Secret", List.of(Column.objectName(),
                Column.of("Type", "What the secret is for.", o -> o.text("type")),
                Column.of("Data", "How many keys there are.", o -> o.size("data")), Column.age()));
        all.put("/ServiceAccount", List.of(Column.objectName(), Column.age()));
        all.put("/Namespace", List.of(Column.objectName(),
                Column.of("Status", "Whether the namespace is in use or being emptied.",
                        o -> o.text("status", "phase")),
                Column.age()));
        all.put("/ResourceQuota", List.of(Column.objectName(),
                Column.of("Request", "Requested amounts and counts, used of allowed.", o -> quota(o, false)),
                Column.of("Limit", "Amounts of limits, used of allowed.", o -> quota(o, true)), Column.age()));
        all.put("/ComponentStatus", List.of(Column.objectName(),
                Column.of("Status", "Whether the component is healthy.", CorePrinters::health),
                Column.of("Message", "What the component says of itself.", o -> healthy(o).text("message")),
                Column.of("Error", "What went wrong when asking it.", o -> healthy(o).text("error"))));
    }

    private static String quota(Item quota, boolean limits) {
        List<String> parts = new ArrayList<>();
        quota.entries("status", "hard").forEach((resource, hard) -> {
            if (resource.startsWith("limits.") == limits) {
                parts.add(resource + ": " + quota.scalarOr("0", "status", "used", resource) + "/" + hard);
            }
        });
        return String.join(", ", parts);
    }

    private static Item healthy(Item component) {
        return component.ofType("Healthy", "conditions");
    }

    private static String health(Item component) {
        return switch (healthy(component).text("status")) {
            case "" -> "Unknown";
            case "True" -> "Healthy";
            default -> "Unhealthy";
        };
    }
}
