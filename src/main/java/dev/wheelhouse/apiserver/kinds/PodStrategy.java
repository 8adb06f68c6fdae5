package dev.wheelhouse.apiserver.kinds;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.validation.PodValidation;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.facts.QosClass;

/** Pods (upstream: {@code pkg/registry/core/pod}). */
final class PodStrategy extends Strategy {
    private static final Set<String> COMPUTE = Set.of("cpu", "memory", "ephemeral-storage");

    PodStrategy() {
        super("", "Pod");
    }

    @Override
    protected boolean countsGenerations() {
        return true;
    }

    @Override
    public boolean returnsDeleted() {
        return true;
    }

    @Override
    protected boolean isCountedByName() {
        return true;
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        PodDefaults.addTo(rules);
    }

    @Override
    protected void create(ObjectNode object, User writer, ClusterState state) {
        object.putObject("status").put("phase", "Pending").put("qosClass", QosClass.of(object.path("spec")));
    }

    @Override
    protected void updateStatus(ObjectNode object, ObjectNode old, ClusterState state) {
        Meta.copy(Meta.of(old), Meta.of(object), "ownerReferences");
    }

    @Override
    public Long graceSeconds(ObjectNode pod, @Nullable Long asked) {
        if (Json.text(pod, "spec", "nodeName").isEmpty() || isOver(pod)) {
            return 0L;
        }
        long grace = asked == null ? Json.number(pod, 30, "spec", "terminationGracePeriodSeconds") : asked;
        return grace < 0 ? 1 : grace;
    }

    private static boolean isOver(ObjectNode pod) {
        return Set.of("Succeeded", "Failed").contains(Json.text(pod, "status", "phase"));
    }

    @Override
    public boolean isLimitedBy(String limit, String resource) {
        return super.isLimitedBy(limit, resource) || limit.startsWith("requests.") || limit.startsWith("limits.")
                || COMPUTE.contains(limit);
    }

    @Override
    protected void addUsage(ObjectNode pod, Map<String, BigDecimal> usage) {
        if (isOver(pod)) {
            usage.remove("pods");
            return;
        }
        if (!(pod.get("spec") instanceof ObjectNode spec)) {
            return;
        }
        PodResources.aggregate(spec, "requests").forEach((name, value) -> {
            usage.put("requests." + name, value);
            if (COMPUTE.contains(name)) {
                usage.put(name, value);
            }
        });
        PodResources.aggregate(spec, "limits").forEach((name, value) -> usage.put("limits." + name, value));
    }

    @Override
    public boolean isInScope(JsonNode scope, ObjectNode pod) {
        boolean terminating = Json.at(pod, "spec", "activeDeadlineSeconds") != null;
        boolean bestEffort = QosClass.of(pod.path("spec")).equals("BestEffort");
        return switch (Json.text(scope, "scopeName")) {
            case "Terminating" -> terminating;
            case "NotTerminating" -> !terminating;
            case "BestEffort" -> bestEffort;
            case "NotBestEffort" -> !bestEffort;
            case "CrossNamespacePodAffinity" -> looksAcrossNamespaces(pod);
            case "PriorityClass" -> Scopes.selects(scope, Json.text(pod, "spec", "priorityClassName"));
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

    /** Under a quota of cpu or memory, each container has to say what it takes. */
    @Override
    public String unsaid(ObjectNode hard, ObjectNode pod) {
        List<String> missing = new ArrayList<>();
        for (String name : List.of("cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory")) {
            if (!hard.has(name)) {
                continue;
            }
            String list = name.startsWith("limits.") ? "limits" : "requests";
            String thing = name.substring(name.indexOf('.') + 1);
            Set<String> containers = new TreeSet<>();
            for (String kind : List.of("containers", "initContainers")) {
                for (JsonNode container : pod.path("spec").path(kind)) {
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

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        PodValidation.create(object, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode object, ObjectNode old, Problems problems) {
        PodUpdateValidation.update(object, old, problems);
    }

    @Override
    protected void validateStatus(ObjectNode object, ObjectNode old, Problems problems) {
        StatusValidation.update("/Pod", object, old, problems);
    }

    @Override
    protected void validateSubresource(String subresource, ObjectNode object, ObjectNode old, Problems problems) {
        PodUpdateValidation.subresource(subresource, object, old, problems);
    }
}
