package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import dev.wheelhouse.apiserver.kinds.Strategy.Trait;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.table.TableColumn;

/** The kinds without rules of their own. They have traits, and columns that kubectl prints. */
final class PlainKinds {
    static final List<Strategy> ALL = List.of(
            new ServiceAccountStrategy(),
            new Strategy("scheduling.k8s.io", "Workload", TableColumn.objectName(), TableColumn.age()),
            new Strategy("scheduling.k8s.io", "PodGroup", TableColumn.objectName(),
                    TableColumn.of("Policy", "Whether the pods start together or one by one.",
                            o -> o.has("spec", "schedulingPolicy", "gang") ? "Gang" : "Basic"),
                    TableColumn.of("Workload", "Workload that the group belongs to.",
                            o -> o.textOr(Item.NONE, "spec", "podGroupTemplateRef", "workload", "workloadName")),
                    TableColumn.of("Status", "State of the group.", PlainKinds::stateOfPodGroup), TableColumn.age()),
            new Strategy("certificates.k8s.io", "ClusterTrustBundle", Set.of(Trait.UPDATED_BY_VERSION),
                    TableColumn.objectName(),
                    TableColumn.of("SignerName", "Signer of the certificates.",
                            o -> o.textOr(Item.NONE, "spec", "signerName"))),
            new Strategy("certificates.k8s.io", "PodCertificateRequest", Set.of(Trait.UPDATED_BY_VERSION),
                    TableColumn.objectName(),
                    TableColumn.of("PodName", "Pod that the certificate is for.", o -> o.text("spec", "podName")),
                    TableColumn.of("ServiceAccountName", "Service account of the pod.",
                            o -> o.text("spec", "serviceAccountName")),
                    TableColumn.of("NodeName", "Node of the pod.", o -> o.text("spec", "nodeName")),
                    TableColumn.of("SignerName", "Signer that is asked.", o -> o.text("spec", "signerName")),
                    TableColumn.of("State", "State of the request.",
                            o -> last(o.items("status", "conditions"), "Pending", "Issued", "Denied", "Failed")),
                    TableColumn.of("UnverifiedUserAnnotations", "Annotations that the pod gives, unchecked.",
                            o -> o.labels("spec", "unverifiedUserAnnotations"))),
            new Strategy("flowcontrol.apiserver.k8s.io", "FlowSchema", TableColumn.objectName(),
                    TableColumn.of("PriorityLevel", "Priority level of the matching requests.",
                            o -> o.text("spec", "priorityLevelConfiguration", "name")),
                    TableColumn.of("MatchingPrecedence", "Which schema is asked first: the lowest.",
                            o -> o.number("spec", "matchingPrecedence")),
                    TableColumn.of("DistinguisherMethod", "How the requests are told apart.",
                            o -> o.textOr(Item.NONE, "spec", "distinguisherMethod", "type")),
                    TableColumn.age(),
                    TableColumn.of("MissingPL", "Whether its priority level is missing.",
                            o -> o.ofType("Dangling", "status", "conditions").textOr("?", "status"))),
            new Strategy("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration", TableColumn.objectName(),
                    TableColumn.of("Type", "Whether the level is limited.", o -> o.text("spec", "type")),
                    limited("NominalConcurrencyShares", "Its share of the server's seats.",
                            "nominalConcurrencyShares"),
                    limited("Queues", "How many queues it has.", "limitResponse", "queuing", "queues"),
                    limited("HandSize", "How many queues one flow may use.", "limitResponse", "queuing", "handSize"),
                    limited("QueueLengthLimit", "How many requests a queue holds.", "limitResponse", "queuing",
                            "queueLengthLimit"),
                    TableColumn.age()),
            new Strategy("internal.apiserver.k8s.io", "StorageVersion", Set.of(Trait.UPDATED_BY_VERSION),
                    TableColumn.objectName(),
                    TableColumn.of("CommonEncodingVersion", "Version that all servers store.",
                            o -> o.textOr(Item.UNSET, "status", "commonEncodingVersion")),
                    TableColumn.of("StorageVersions", "Version that each server stores.",
                            o -> Item.firstThree(o.items("status", "storageVersions").stream()
                                    .map(v -> v.text("apiServerID") + "=" + v.text("encodingVersion")).toList())),
                    TableColumn.age()),
            new Strategy("storagemigration.k8s.io", "StorageVersionMigration", Set.of(Trait.UPDATED_BY_VERSION),
                    TableColumn.objectName().format(""),
                    TableColumn.of("Resource", "Resource whose objects are migrated.", PlainKinds::migratedResource),
                    TableColumn.of("Status", "State of the migration.",
                            o -> last(o.items("status", "conditions").stream()
                                    .filter(condition -> condition.text("status").equals("True")).toList(),
                                    "Unknown", "Running", "Failed", "Succeeded"))),
            new Strategy("resource.k8s.io", "DeviceClass", Set.of(Trait.COUNTS_GENERATIONS), TableColumn.objectName(),
                    TableColumn.age()),
            new Strategy("resource.k8s.io", "DeviceTaintRule", Set.of(Trait.COUNTS_GENERATIONS),
                    TableColumn.objectName(),
                    TableColumn.of("Key", "Key of the taint.", o -> o.text("spec", "taint", "key")),
                    TableColumn.of("Value", "Value of the taint.", o -> o.text("spec", "taint", "value")),
                    TableColumn.of("Effect", "Effect of the taint on pods.", o -> o.text("spec", "taint", "effect")),
                    TableColumn.of("TimeAdded", "How long the taint has been there.",
                            o -> o.has("spec", "taint", "timeAdded") ? o.since("spec", "taint", "timeAdded") : ""),
                    TableColumn.age()),
            new Strategy("", "Binding", Set.of(Trait.NEVER_STORED)),
            new Strategy("policy", "Eviction", Set.of(Trait.NEVER_STORED)));

    private PlainKinds() {}

    private static String stateOfPodGroup(Item group) {
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

    /** The last of these types that a condition has; the other text if none has one. */
    private static String last(List<Item> conditions, String none, String... types) {
        return conditions.stream().map(condition -> condition.text("type")).filter(List.of(types)::contains)
                .reduce(none, (before, type) -> type);
    }

    /** A column with a number that only limited levels have. */
    private static TableColumn limited(String name, String description, String... path) {
        String[] full = Stream.concat(Stream.of("spec", "limited"), Stream.of(path)).toArray(String[]::new);
        return TableColumn.of(name, description, o -> {
            if (o.has(full)) {
                return o.number(full);
            }
            return Item.NONE;
        });
    }

    private static String migratedResource(Item migration) {
        String group = migration.text("spec", "resource", "group");
        return migration.text("spec", "resource", "resource") + (group.isEmpty() ? "" : "." + group);
    }
}
