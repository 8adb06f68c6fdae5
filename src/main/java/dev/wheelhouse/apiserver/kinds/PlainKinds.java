package dev.wheelhouse.apiserver.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

import dev.wheelhouse.apiserver.kinds.KindTable.Cell;
import dev.wheelhouse.apiserver.table.Item;

/** The kinds whose only code is for cells of their tables, and the one that is no resource of its own. */
final class PlainKinds {
    static final List<Strategy> ALL = List.of(
            new Strategy("policy", "Eviction"), ofBinding("RoleBinding"), ofBinding("ClusterRoleBinding"),
            new Strategy("resource.k8s.io", "ResourceClaim", Map.of("state", PlainKinds::stateOfClaim)),
            new Strategy("", "Endpoints", Map.of("endpoints", PlainKinds::endpoints)),
            new Strategy("networking.k8s.io", "IPAddress", Map.of("parent", PlainKinds::parent)),
            new Strategy("networking.k8s.io", "IngressClass",
                    Map.of("parameters", PlainKinds::parameters, "nameOrDefault",
                            o -> o.name() + (o.text("metadata", "annotations",
                                    "ingressclass.kubernetes.io/is-default-class").equals("true")
                                            ? " (default)"
                                            : ""))),
            new Strategy(AdmissionRules.GROUP, "MutatingAdmissionPolicyBinding",
                    Map.of("paramRef", AdmissionRules::paramRef)),
            new Strategy(AdmissionRules.GROUP, "ValidatingAdmissionPolicyBinding",
                    Map.of("paramRef", AdmissionRules::paramRef)),
            new Strategy("scheduling.k8s.io", "PodGroup", Map.of("state", PlainKinds::stateOfPodGroup, "policy",
                    o -> o.has("spec", "schedulingPolicy", "gang") ? "Gang" : "Basic")),
            new Strategy("certificates.k8s.io", "PodCertificateRequest", Map.of("state",
                    o -> last(o.items("status", "conditions"), "Pending", "Issued", "Denied", "Failed"))),
            new Strategy("internal.apiserver.k8s.io", "StorageVersion", Map.of("storageVersions",
                    o -> Item.firstThree(o.items("status", "storageVersions").stream()
                            .map(v -> v.text("apiServerID") + "=" + v.text("encodingVersion")).toList()))),
            new Strategy("storagemigration.k8s.io", "StorageVersionMigration", Map.of("resource",
                    PlainKinds::migratedResource, "state",
                    o -> last(o.items("status", "conditions").stream()
                            .filter(condition -> condition.text("status").equals("True")).toList(),
                            "Unknown", "Running", "Failed", "Succeeded"))));

    private PlainKinds() {}

    private static Strategy ofBinding(String kind) {
        return new Strategy("rbac.authorization.k8s.io", kind, Map.of("users", subjects("User", s -> s.text("name")),
                "groups", subjects("Group", s -> s.text("name")), "serviceAccounts",
                subjects("ServiceAccount", s -> s.text("namespace") + "/" + s.text("name"))));
    }

    private static Cell subjects(String kind, Function<Item, String> text) {
        return o -> String.join(", ", o.items("subjects").stream().filter(s -> s.text("kind").equals(kind)).map(text)
                .toList());
    }

    private static String stateOfClaim(Item claim) {
        List<String> states = new ArrayList<>();
        if (claim.deleting()) {
            states.add("deleted");
        }
        if (claim.has("status", "allocation")) {
            states.add("allocated");
            if (claim.size("status", "reservedFor") > 0) {
                states.add("reserved");
            }
        } else if (!claim.deleting()) {
            states.add("pending");
        }
        return String.join(",", states);
    }

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

    private static String endpoints(Item endpoints) {
        List<String> all = new ArrayList<>();
        for (Item subset : endpoints.items("subsets")) {
            List<String> ips = subset.items("addresses").stream().map(a -> a.text("ip")).toList();
            if (subset.size("ports") == 0) {
                all.addAll(ips);
            }
            for (Item port : subset.items("ports")) {
                ips.forEach(ip -> all.add((ip.contains(":") ? "[" + ip + "]" : ip) + ":" + port.number("port")));
            }
        }
        if (endpoints.size("subsets") == 0) {
            return Item.NONE;
        }
        return all.isEmpty() ? "" : Item.firstThree(all);
    }

    private static String parent(Item address) {
        if (!address.has("spec", "parentRef")) {
            return Item.NONE;
        }
        Item parent = address.part("spec", "parentRef");
        String group = parent.text("group");
        String namespace = parent.text("namespace");
        return (parent.text("resource") + (group.isEmpty() ? "" : "." + group)).toLowerCase(Locale.ROOT)
                + (namespace.isEmpty() ? "" : "/" + namespace) + "/" + parent.text("name");
    }

    private static String parameters(Item ingressClass) {
        Item parameters = ingressClass.part("spec", "parameters");
        if (!ingressClass.has("spec", "parameters")) {
            return Item.NONE;
        }
        String group = parameters.has("apiGroup") ? "." + parameters.text("apiGroup") : "";
        return parameters.text("kind") + group + "/" + parameters.text("name");
    }

    private static String migratedResource(Item migration) {
        String group = migration.text("spec", "resource", "group");
        return migration.text("spec", "resource", "resource") + (group.isEmpty() ? "" : "." + group);
    }
}
