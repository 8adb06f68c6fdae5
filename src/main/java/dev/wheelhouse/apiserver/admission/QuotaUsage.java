package dev.wheelhouse.apiserver.admission;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.kinds.PodResources;
import dev.wheelhouse.apiserver.kinds.QosClass;
import dev.wheelhouse.facts.Quantities;

/** What one object takes of a quota (upstream: {@code pkg/quota/v1/evaluator/core}). */
final class QuotaUsage {
    private static final Set<String> COUNTED_BY_NAME = Set.of("pods", "services", "secrets", "configmaps",
            "persistentvolumeclaims", "replicationcontrollers", "resourcequotas");
    private static final String OF_CLASS = ".storageclass.storage.k8s.io/";

    private QuotaUsage() {}

    /** The stored resources that bear on the limits of these names. */
    static Set<String> resources(Collection<String> limits) {
        Set<String> resources = new TreeSet<>();
        for (String limit : limits) {
            if (limit.startsWith("count/")) {
                resources.add(limit.substring("count/".length()));
            } else if (COUNTED_BY_NAME.contains(limit)) {
                resources.add(limit);
            } else if (limit.startsWith("services.")) {
                resources.add("services");
            } else if (limit.equals("requests.storage") || limit.contains(OF_CLASS)) {
                resources.add("persistentvolumeclaims");
            } else {
                resources.add("pods");
            }
        }
        return resources;
    }

    /** What an object takes, by the names of limits. */
    static Map<String, BigDecimal> of(String resource, ObjectNode object) {
        Map<String, BigDecimal> usage = new TreeMap<>();
        usage.put("count/" + resource, BigDecimal.ONE);
        switch (resource) {
            case "pods" -> pod(object, usage);
            case "services" -> service(object, usage);
            case "persistentvolumeclaims" -> claim(object, usage);
            default -> {
            }
        }
        if (COUNTED_BY_NAME.contains(resource) && (!resource.equals("pods") || !isOver(object))) {
            usage.put(resource, BigDecimal.ONE);
        }
        return usage;
    }

    private static boolean isOver(ObjectNode pod) {
        return Set.of("Succeeded", "Failed").contains(Json.text(pod, "status", "phase"));
    }

    private static void pod(ObjectNode pod, Map<String, BigDecimal> usage) {
        if (isOver(pod) || !(pod.get("spec") instanceof ObjectNode spec)) {
            return;
        }
        PodResources.aggregate(spec, "requests").forEach((name, value) -> {
            usage.put("requests." + name, value);
            if (Set.of("cpu", "memory", "ephemeral-storage").contains(name)) {
                usage.put(name, value);
            }
        });
        PodResources.aggregate(spec, "limits").forEach((name, value) -> usage.put("limits." + name, value));
    }

    private static void service(ObjectNode service, Map<String, BigDecimal> usage) {
        String type = Json.text(service, "spec", "type");
        long nodePorts = type.equals("NodePort") || type.equals("LoadBalancer")
                ? service.path("spec").path("ports").size()
                : 0;
        usage.put("services.nodeports", BigDecimal.valueOf(nodePorts));
        usage.put("services.loadbalancers", type.equals("LoadBalancer") ? BigDecimal.ONE : BigDecimal.ZERO);
    }

    private static void claim(ObjectNode claim, Map<String, BigDecimal> usage) {
        BigDecimal storage = Quantities.parse(Json.text(claim, "spec", "resources", "requests", "storage"));
        String storageClass = Json.text(claim, "spec", "storageClassName");
        if (storage != null) {
            usage.put("requests.storage", storage);
        }
        if (!storageClass.isEmpty()) {
            usage.put(storageClass + OF_CLASS + "persistentvolumeclaims", BigDecimal.ONE);
            if (storage != null) {
                usage.put(storageClass + OF_CLASS + "requests.storage", storage);
            }
        }
    }

    /** Whether the quota's scopes, which are about pods or about volume claims, let the object in. */
    static boolean covers(ObjectNode quota, String resource, ObjectNode object) {
        List<JsonNode> requirements = new ArrayList<>();
        quota.path("spec").path("scopes").forEach(
                scope -> requirements
                        .add(Json.object().put("scopeName", scope.asString("")).put("operator", "Exists")));
        quota.path("spec").path("scopeSelector").path("matchExpressions").forEach(requirements::add);
        if (requirements.isEmpty()) {
            return true;
        }
        return switch (resource) {
            case "pods" -> requirements.stream().allMatch(r -> matches(r, object));
            case "persistentvolumeclaims" -> requirements.stream().allMatch(r -> matchesClaim(r, object));
            default -> false;
        };
    }

    /** Claims have one scope: the attributes classes that they have or are to get. */
    private static boolean matchesClaim(JsonNode requirement, ObjectNode claim) {
        if (!Json.text(requirement, "scopeName").equals("VolumeAttributesClass")) {
            return false;
        }
        Set<String> names = new TreeSet<>();
        names.add(Json.text(claim, "spec", "volumeAttributesClassName"));
        names.add(Json.text(claim, "status", "currentVolumeAttributesClassName"));
        names.add(Json.text(claim, "status", "modifyVolumeStatus", "targetVolumeAttributesClassName"));
        names.remove("");
        return names.isEmpty()
                ? selects(requirement, "")
                : names.stream().anyMatch(name -> selects(requirement, name));
    }

    /** @param name empty if there is none */
    private static boolean selects(JsonNode requirement, String name) {
        boolean listed = false;
        for (JsonNode value : requirement.path("values")) {
            listed |= value.asString("").equals(name);
        }
        return switch (Json.text(requirement, "operator")) {
            case "In" -> listed;
            case "NotIn" -> !listed;
            case "DoesNotExist" -> name.isEmpty();
            default -> !name.isEmpty();
        };
    }

    private static boolean matches(JsonNode requirement, ObjectNode pod) {
        boolean terminating = Json.at(pod, "spec", "activeDeadlineSeconds") != null;
        boolean bestEffort = QosClass.of(pod).equals("BestEffort");
        return switch (Json.text(requirement, "scopeName")) {
            case "Terminating" -> terminating;
            case "NotTerminating" -> !terminating;
            case "BestEffort" -> bestEffort;
            case "NotBestEffort" -> !bestEffort;
            case "CrossNamespacePodAffinity" -> looksAcrossNamespaces(pod);
            case "PriorityClass" -> selects(requirement, Json.text(pod, "spec", "priorityClassName"));
            default -> false;
        };
    }

    /** Whether any term of its pod affinity or anti-affinity is about pods of other namespaces. */
    private static boolean looksAcrossNamespaces(ObjectNode pod) {
        for (String kind : List.of("podAffinity", "podAntiAffinity")) {
            JsonNode affinity = pod.path("spec").path("affinity").path(kind);
            List<JsonNode> terms = new ArrayList<>();
            affinity.path("requiredDuringSchedulingIgnoredDuringExecution").forEach(terms::add);
            affinity.path("preferredDuringSchedulingIgnoredDuringExecution")
                    .forEach(preferred -> terms.add(preferred.path("podAffinityTerm")));
            if (terms.stream().anyMatch(t -> !t.path("namespaces").isEmpty() || t.has("namespaceSelector"))) {
                return true;
            }
        }
        return false;
    }

    /** What a pod's containers must say under a quota of cpu or memory, and which of them do not; empty if nothing. */
    static String missing(ObjectNode quota, String resource, ObjectNode object) {
        if (!resource.equals("pods") || !(Json.at(quota, "spec", "hard") instanceof ObjectNode hard)) {
            return "";
        }
        List<String> missing = new ArrayList<>();
        for (String name : List.of("cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory")) {
            if (!hard.has(name)) {
                continue;
            }
            String list = name.startsWith("limits.") ? "limits" : "requests";
            String thing = name.substring(name.indexOf('.') + 1);
            Set<String> containers = new TreeSet<>();
            for (String kind : List.of("containers", "initContainers")) {
                for (JsonNode container : object.path("spec").path(kind)) {
                    if (Json.at(container, "resources", list, thing) == null) {
                        containers.add(Json.text(container, "name"));
                    }
                }
            }
            if (!containers.isEmpty()) {
                missing.add(name + " for: " + String.join(",", containers));
            }
        }
        return String.join("; ", missing);
    }
}
