package dev.wheelhouse.apiserver.kinds;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.ResourceValidation;

/** Resource quotas (upstream: {@code pkg/registry/core/resourcequota}). */
final class ResourceQuotaStrategy extends Strategy {
    private static final Set<String> SCOPES = Set.of("Terminating", "NotTerminating", "BestEffort", "NotBestEffort",
            "PriorityClass", "CrossNamespacePodAffinity", "VolumeAttributesClass");

    private static final Set<String> ALWAYS_EXIST = Set.of("BestEffort", "NotBestEffort", "Terminating",
            "NotTerminating", "CrossNamespacePodAffinity");
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

    @Override
    protected void validate(ObjectNode quota, Problems problems) {
        JsonNode spec = quota.path("spec");
        for (Map.Entry<String, JsonNode> hard : spec.path("hard").properties()) {
            String at = Problems.key("spec.hard", hard.getKey());
            List<String> wrong = Formats.qualifiedName(hard.getKey());
            problems.invalid(at, hard.getKey(), wrong);
            if (wrong.isEmpty() && !hard.getKey().contains("/") && !isStandard(hard.getKey())) {
                if (!hard.getKey().equals("storage")) {
                    problems.invalid(at, hard.getKey(), "must be a standard resource type or fully qualified");
                }
                problems.invalid(at, hard.getKey(), "must be a standard resource for quota");
            }
            ResourceValidation.amount(hard.getKey(), hard.getValue(), at, problems);
        }
        Set<String> scopes = new HashSet<>();
        for (JsonNode scope : spec.path("scopes")) {
            scopes.add(scope.asString(""));
            if (!SCOPES.contains(scope.asString(""))) {
                problems.invalid("spec.scopes", spec.get("scopes"), "unsupported scope");
            }
            refuseOthers(scope.asString(""), spec, "spec.scopes", spec.get("scopes"), problems);
        }
        if (conflict(scopes)) {
            problems.invalid("spec.scopes", spec.get("scopes"), "conflicting scopes");
        }
        Set<String> selected = new HashSet<>();
        for (JsonNode requirement : spec.path("scopeSelector").path("matchExpressions")) {
            String at = "spec.scopeSelector.matchExpressions";
            String name = Json.text(requirement, "scopeName");
            if (!SCOPES.contains(name)) {
                problems.invalid(at + ".scopeName", name, "unsupported scope");
            }
            refuseOthers(name, spec, at, spec.get("scopeSelector"), problems);
            String operator = Json.text(requirement, "operator");
            if (ALWAYS_EXIST.contains(name) && !operator.equals("Exists")) {
                problems.invalid(at + ".operator", operator, "must be 'Exists' when scope is any of "
                        + "ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, "
                        + "ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or "
                        + "ResourceQuotaScopeCrossNamespacePodAffinity");
            }
            if (!List.of("In", "NotIn", "Exists", "DoesNotExist").contains(operator)) {
                problems.invalid(at + ".operator", operator, "not a valid selector operator");
            } else if (operator.endsWith("In") && requirement.path("values").isEmpty()) {
                problems.required(at + ".values", "must be at least one value when `operator` is 'In' or 'NotIn' for "
                        + "scope selector");
            } else if (!operator.endsWith("In") && !requirement.path("values").isEmpty()) {
                problems.invalid(at + ".values", requirement.path("values"),
                        "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector");
            }
            selected.add(name);
        }
        if (conflict(selected)) {
            problems.invalid("spec.scopeSelector.matchExpressions", spec.get("scopes"), "conflicting scopes");
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
    private static void refuseOthers(String scope, JsonNode spec, String at, JsonNode value, Problems problems) {
        Set<String> scoped = switch (scope) {
            case "BestEffort" -> Set.of("pods");
            case "VolumeAttributesClass" -> Set.of("persistentvolumeclaims", "requests.storage");
            default -> OF_PODS;
        };
        spec.path("hard").propertyStream().map(Map.Entry::getKey).sorted()
                .filter(limit -> SCOPES.contains(scope) && isStandard(limit) && !scoped.contains(limit))
                .forEach(limit -> problems.invalid(at, value, "unsupported scope applied to resource"));
    }

    @Override
    protected void validateUpdate(ObjectNode quota, ObjectNode old, Problems problems) {
        validate(quota, problems);
        Set<JsonNode> now = new HashSet<>();
        quota.path("spec").path("scopes").forEach(now::add);
        Set<JsonNode> before = new HashSet<>();
        old.path("spec").path("scopes").forEach(before::add);
        if (!now.equals(before)) {
            problems.invalid("spec.scopes", quota.path("spec").get("scopes"), "field is immutable");
        }
    }
}
