package dev.wheelhouse.apiserver.table;

import java.util.List;
import java.util.Map;

import static dev.wheelhouse.apiserver.table.Item.NONE;

/** The API server's own groups: {@code apiregistration}, {@code flowcontrol}, {@code internal} and {@code storagemigration}. */
final class ControlPlanePrinters {
    private ControlPlanePrinters() {}

    static void addTo(Map<String, List<Column>> all) {
        all.put("apiregistration.k8s.io/APIService", List.of(Column.objectName(),
                Column.of("Service", "Service that serves the group version, or Local.",
                        o -> o.has("spec", "service")
                                ? o.text("spec", "service", "namespace") + "/" + o.text("spec", "service", "name")
                                : "Local"),
                Column.of("Available", "Whether the group version can be used.", ControlPlanePrinters::available),
                Column.age()));
        all.put("flowcontrol.apiserver.k8s.io/FlowSchema", List.of(Column.objectName(),
                Column.of("PriorityLevel", "Priority level of the matching requests.",
                        o -> o.text("spec", "priorityLevelConfiguration", "name")),
                Column.of("MatchingPrecedence", "Which schema is asked first: the lowest.",
                        o -> o.number("spec", "matchingPrecedence")),
                Column.of("DistinguisherMethod", "How the requests are told apart.",
                        o -> o.textOr(NONE, "spec", "distinguisherMethod", "type")),
                Column.age(),
                Column.of("MissingPL", "Whether its priority level is missing.",
                        o -> o.ofType("Dangling", "status", "conditions").textOr("?", "status"))));
        all.put("flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration", List.of(Column.objectName(),
                Column.of("Type", "Whether the level is limited.", o -> o.text("spec", "type")),
                limited("NominalConcurrencyShares", "Its share of the server's seats.", "nominalConcurrencyShares"),
                limited("Queues", "How many queues it has.", "limitResponse", "queuing", "queues"),
                limited("HandSize", "How many queues one flow may use.", "limitResponse", "queuing", "handSize"),
                limited("QueueLengthLimit", "How many requests a queue holds.", "limitResponse", "queuing",
                        "queueLengthLimit"),
                Column.age()));
        all.put("internal.apiserver.k8s.io/StorageVersion", List.of(Column.objectName(),
                Column.of("CommonEncodingVersion", "Version that all servers store.",
                        o -> o.textOr(Item.UNSET, "status", "commonEncodingVersion")),
                Column.of("StorageVersions", "Version that each server stores.",
                        o -> Item.shorten(o.items("status", "storageVersions").stream()
                                .map(v -> v.text("apiServerID") + "=" + v.text("encodingVersion")).toList())),
                Column.age()));
        all.put("storagemigration.k8s.io/StorageVersionMigration", List.of(Column.objectName().format(""),
                Column.of("Resource", "What is migrated.", ControlPlanePrinters::migrated),
                Column.of("Status", "How far the migration is.", ControlPlanePrinters::migration)));
    }

    private static String available(Item service) {
        Item condition = service.ofType("Available", "status", "conditions");
        return switch (condition.text("status")) {
            case "" -> "Unknown";
            case "True" -> "True";
            default -> condition.text("status") + " (" + condition.text("reason") + ")";
        };
    }

    private static Column limited(String name, String description, String... path) {
        String[] full = new String[path.length + 2];
        full[0] = "spec";
        full[1] = "limited";
        System.arraycopy(path, 0, full, 2, path.length);
        return Column.of(name, description, o -> {
            if (o.has(full)) {
                return o.number(full);
            }
            return NONE;
        });
    }

    private static String migrated(Item migration) {
        String group = migration.text("spec", "resource", "group");
        return migration.text("spec", "resource", "resource") + (group.isEmpty() ? "" : "." + group);
    }

    private static String migration(Item migration) {
        String state = "Unknown";
        for (Item condition : migration.items("status", "conditions")) {
            String type = condition.text("type");
            if (condition.text("status").equals("True") && List.of("Running", "Failed", "Succeeded").contains(type)) {
                state = type;
            }
        }
        return state;
    }
}
