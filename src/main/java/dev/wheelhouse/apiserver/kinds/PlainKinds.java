package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import dev.wheelhouse.apiserver.kinds.Strategy.Trait;
import dev.wheelhouse.apiserver.table.Column;
import dev.wheelhouse.apiserver.table.Item;

/** The kinds without rules of their own. They have traits, and columns that kubectl prints. */
final class PlainKinds {
    static final List<Strategy> ALL = List.of(
            new ServiceAccountStrategy(),
            new Strategy("scheduling.k8s.io", "Workload", Column.objectName(), Column.age()),
            new Strategy("scheduling.k8s.io", "PodGroup", Column.objectName(),
                    Column.of("Policy", "Whether the pods start together or one by one.",
                            o -> o.has("spec", "schedulingPolicy", "gang") ? "Gang" : "Basic"),
                    Column.of("Workload", "Workload that the group belongs to.",
                            o -> o.textOr(Item.NONE, "spec", "podGroupTemplateRef", "workload", "workloadName")),
                    Column.of("Status", "State of the group.", PlainKinds::stateOfPodGroup), Column.age()),
            new Strategy("certificates.k8s.io", "ClusterTrustBundle", Set.of(Trait.UPDATED_BY_VERSION),
                    Column.objectName(),
                    Column.of("SignerName", "Signer of the certificates.",
                            o -> o.textOr(Item.NONE, "spec", "signerName"))),
            new Strategy("certificates.k8s.io", "PodCertificateRequest", Set.of(Trait.UPDATED_BY_VERSION),
                    Column.objectName(),
                    Column.of("PodName", "Pod that the certificate is for.", o -> o.text("spec", "podName")),
                    Column.of("ServiceAccountName", "Service account of the pod.",
                            o -> o.text("spec", "serviceAccountName")),
                    Column.of("NodeName", "Node of the pod.", o -> o.text("spec", "nodeName")),
                    Column.of("SignerName", "Signer that is asked.", o -> o.text("spec", "signerName")),
                    Column.of("State", "State of the request.",
                            o -> last(o.items("status", "conditions"), "Pending", "Issued", "Denied", "Failed")),
                    Column.of("UnverifiedUserAnnotations", "Annotations that the pod gives, unchecked.",
                            o -> o.labels("spec", "unverifiedUserAnnotations"))),
            new Strategy("flowcontrol.apiserver.k8s.io", "FlowSchema", Column.objectName(),
                    Column.of("PriorityLevel", "Priority level of the matching requests.",
                            o -> o.text("spec", "priorityLevelConfiguration", "name")),
                    Column.of("MatchingPrecedence", "Which schema is asked first: the lowest.",
                            o -> o.number("spec", "matchingPrecedence")),
                    Column.of("DistinguisherMethod", "How the requests are told apart.",
                            o -> o.textOr(Item.NONE, "spec", "distinguisherMethod", "type")),
                    Column.age(),
                    Column.of("MissingPL", "Whether its priority level is missing.",
                            o -> o.ofType("Dangling", "status", "conditions").textOr("?", "status"))),
            new Strategy("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration", Column.objectName(),
                    Column.of("Type", "Whether the level is limited.", o -> o.text("spec", "type")),
                    limited("NominalConcurrencyShares", "Its share of the server's seats.",
                            "nominalConcurrencyShares"),
                    limited("Queues", "How many queues it has.", "limitResponse", "queuing", "queues"),
                    limited("HandSize", "How many queues one flow may use.", "limitResponse", "queuing", "handSize"),
                    limited("QueueLengthLimit", "How many requests a queue holds.", "limitResponse", "queuing",
                            "queueLengthLimit"),
                    Column.age()),
            new Strategy("internal.apiserver.k8s.io", "StorageVersion", Set.of(Trait.UPDATED_BY_VERSION),
                    Column.objectName(),
                    Column.of("CommonEncodingVersion", "Version that all servers store.",
                            o -> o.textOr(Item.UNSET, "status", "commonEncodingVersion")),
                    Column.of("StorageVersions", "Version that each server stores.",
                            o -> Item.firstThree(o.items("status", "storageVersions").stream()
                                    .map(v -> v.text("apiServerID") + "=" + v.text("encodingVersion")).toList())),
                    Column.age()),
            new Strategy("storagemigration.k8s.io", "StorageVersionMigration", Set.of(Trait.UPDATED_BY_VERSION),
                    Column.objectName().format(""),
                    Column.of("Resource", "Resource whose objects are migrated.", PlainKinds::migratedResource),
                    Column.of("Status", "State of the migration.",
                            o -> last(o.items("status", "conditions").stream()
                                    .filter(condition -> condition.text("status").equals("True")).toList(),
                                    "Unknown", "Running", "Failed", "Succeeded"))),
            new Strategy("resource.k8s.io", "DeviceClass", Set.of(Trait.COUNTS_GENERATIONS), Column.objectName(),
                    Column.age()),
            new Strategy("resource.k8s.io", "DeviceTaintRule", Set.of(Trait.COUNTS_GENERATIONS), Column.objectName(),
                    Column.of("Key", "Key of the taint.", o -> o.text("spec", "taint", "key")),
                    Column.of("Value", "Value of the taint.", o -> o.text("spec", "taint", "value")),
                    Column.of("Effect", "Effect of the taint on pods.", o -> o.text("spec", "taint", "effect")),
                    Column.of("TimeAdded", "How long the taint has been there.",
                            o -> o.has("spec", "taint", "timeAdded") ? o.since("spec", "taint", "timeAdded") : ""),
                    Column.age()),
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
    private static Column limited(String name, String description, String... path) {
        String[] full = Stream.concat(Stream.of("spec", "limited"), Stream.of(path)).toArray(String[]::new);
        return Column.of(name, description, o -> {
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
