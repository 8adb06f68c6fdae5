package dev.wheelhouse.apiserver.kinds;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.ResourceValidation;
import dev.wheelhouse.apiserver.validation.Subject;

/** Resource quotas (upstream: {@code pkg/registry/core/resourcequota}). */
final class ResourceQuotaStrategy extends Strategy {
    private static final Set<String> SCOPES = Set.of("Terminating", "NotTerminating", "BestEffort", "NotBestEffort",
            "PriorityClass", "CrossNamespacePodAffinity", "VolumeAttributesClass");

    private static final Set<String> OF_PODS = Set.of("pods", "cpu", "memory", "requests.cpu", "requests.memory",
            "limits.cpu", "limits.memory");
    private static final Set<String> STANDARD = Set.of("cpu", "memory", "ephemeral-storage", "requests.cpu",
            "requests.memory", "requests.storage", "requests.ephemeral-storage", "limits.cpu", "limits.memory",
            "limits.ephemeral-storage", "pods", "resourcequotas", "services", "replicationcontrollers", "secrets",
            "persistentvolumeclaims", "configmaps", "services.nodeports", "services.loadbalancers");

    ResourceQuotaStrategy() {
        super("", "ResourceQuota", Map.of("requests", o -> amounts(o, false), "limits", o -> amounts(o, true)));
    }

    private static String amounts(Item quota, boolean limits) {
        List<String> parts = new ArrayList<>();
        quota.entries("status", "hard").forEach((resource, hard) -> {
            if (resource.startsWith("limits.") == limits) {
                parts.add(resource + ": " + quota.scalarOr("0", "status", "used", resource) + "/" + hard);
            }
        });
        return String.join(", ", parts);
    }

    static void quotaAmount(Subject hard) {
        String name = hard.key();
        List<String> wrong = Formats.qualifiedName(name);
        hard.problems().invalid(hard.path(), name, wrong);
        if (wrong.isEmpty() && !name.contains("/") && !isStandard(name)) {
            if (!name.equals("storage")) {
                hard.problems().invalid(hard.path(), name, "must be a standard resource type or fully qualified");
            }
            hard.problems().invalid(hard.path(), name, "must be a standard resource for quota");
        }
        ResourceValidation.amount(name, hard.value(), hard.path(), hard.problems());
    }

    static void quotaScopes(Subject scopes) {
        for (JsonNode scope : scopes.value()) {
            if (!SCOPES.contains(scope.asString(""))) {
                scopes.problems().invalid(scopes.path(), scopes.value(), "unsupported scope");
            }
            refuseOthers(scope.asString(""), scopes.value(), scopes);
        }
    }

    static void selectedScope(Subject requirement) {
        refuseOthers(Json.text(requirement.value(), "scopeName"),
                requirement.root().path("spec").path("scopeSelector"), requirement);
    }

    static void conflictingScopes(Subject requirements) {
        Set<String> scopes = new HashSet<>();
        requirements.value().forEach(requirement -> scopes.add(Json.text(requirement, "scopeName")));
        if (conflict(scopes)) {
            requirements.problems().invalid(requirements.path(), requirements.root().path("spec").get("scopes"),
                    "conflicting scopes");
        }
    }

    private static boolean conflict(Set<String> scopes) {
        return scopes.containsAll(List.of("BestEffort", "NotBestEffort"))
                || scopes.containsAll(List.of("Terminating", "NotTerminating"));
    }

    private static boolean isStandard(String limit) {
        return STANDARD.contains(limit) || limit.startsWith("hugepages-") || limit.startsWith("requests.hugepages-");
    }

    /** A limit whose objects are never in the scope makes the quota invalid. */
    private static void refuseOthers(String scope, JsonNode shown, Subject subject) {
        Set<String> scoped = switch (scope) {
            case "BestEffort" -> Set.of("pods");
            case "VolumeAttributesClass" -> Set.of("persistentvolumeclaims", "requests.storage");
            default -> OF_PODS;
        };
        subject.root().path("spec").path("hard").propertyStream().map(Map.Entry::getKey).sorted()
                .filter(limit -> SCOPES.contains(scope) && isStandard(limit) && !scoped.contains(limit))
                .forEach(limit -> subject.problems().invalid(subject.path(), shown,
                        "unsupported scope applied to resource"));
    }

    static void scopesStay(Subject scopes) {
        Set<JsonNode> now = scopes.value().valueStream().collect(Collectors.toSet());
        if (!now.equals(scopes.old().valueStream().collect(Collectors.toSet()))) {
            scopes.problems().invalid(scopes.path(), scopes.isSet() ? scopes.value() : null, "field is immutable");
        }
    }
}
