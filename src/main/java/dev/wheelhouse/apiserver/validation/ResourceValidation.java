package dev.wheelhouse.apiserver.validation;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Set;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.facts.Quantities;

/** The rules of resource requests and limits (upstream: {@code pkg/apis/core/validation/validation.go}). */
public final class ResourceValidation {
    private static final Set<String> OF_CONTAINERS = Set.of("cpu", "memory", "ephemeral-storage");
    private static final Set<String> STANDARD = Set.of("cpu", "memory", "ephemeral-storage", "storage",
            "requests.cpu", "requests.memory", "requests.storage", "requests.ephemeral-storage", "limits.cpu",
            "limits.memory", "limits.ephemeral-storage", "pods", "services", "replicationcontrollers", "resourcequotas",
            "secrets", "configmaps", "persistentvolumeclaims", "services.nodeports", "services.loadbalancers");

    private ResourceValidation() {}

    static void requirements(JsonNode resources, String path, Set<String> claimNames, Problems problems) {
        JsonNode limits = resources.path("limits");
        JsonNode requests = resources.path("requests");
        for (Map.Entry<String, JsonNode> limit : limits.properties()) {
            quantity(limit, path + ".limits", problems);
        }
        for (Map.Entry<String, JsonNode> request : requests.properties()) {
            quantity(request, path + ".requests", problems);
            String name = request.getKey();
            JsonNode limit = limits.get(name);
            BigDecimal requested = value(request.getValue());
            if (limit == null) {
                if (!overcommits(name)) {
                    problems.required(path + ".limits", "Limit must be set for non overcommitable resources");
                }
            } else if (requested.compareTo(value(limit)) != 0 && !overcommits(name)) {
                problems.invalid(path + ".requests", request.getValue().asString(""),
                        "must be equal to " + name + " limit of " + limit.asString(""));
            } else if (requested.compareTo(value(limit)) > 0) {
                problems.invalid(path + ".requests", request.getValue().asString(""),
                        "must be less than or equal to " + name + " limit of " + limit.asString(""));
            }
        }
        boolean hugePages = false;
        boolean compute = false;
        for (JsonNode list : List.of(limits, requests)) {
            for (String name : list.propertyNames()) {
                hugePages |= name.startsWith("hugepages-");
                compute |= name.equals("cpu") || name.equals("memory");
            }
        }
        if (hugePages && !compute) {
            problems.forbidden(path, "HugePages require cpu or memory");
        }
        Problems.each(resources, path, "claims", (claim, at) -> {
            String name = Json.text(claim, "name");
            if (name.isEmpty()) {
                problems.required(at);
            } else if (!claimNames.contains(name)) {
                problems.notFound(at, name);
            }
        });
    }

    private static void quantity(Map.Entry<String, JsonNode> entry, String list, Problems problems) {
        String name = entry.getKey();
        String at = Problems.key(list, name);
        name(name, at, problems);
        BigDecimal value = value(entry.getValue());
        if (value.signum() < 0) {
            problems.invalid(at, entry.getValue().asString(""), "must be greater than or equal to 0");
        }
        if (!overcommits(name) && value.stripTrailingZeros().scale() > 0) {
            problems.invalid(at, entry.getValue(), "must be an integer");
        }
    }

    /** Checks the name of a resource of containers. */
    public static void name(String name, String path, Problems problems) {
        List<String> wrong = Formats.qualifiedName(name);
        problems.invalid(path, name, wrong);
        if (!wrong.isEmpty() || name.contains("/") || name.startsWith("hugepages-") || OF_CONTAINERS.contains(name)) {
            return;
        }
        if (!STANDARD.contains(name)) {
            problems.invalid(path, name, "must be a standard resource type or fully qualified");
        }
        problems.invalid(path, name, "must be a standard resource for containers");
    }

    /**
     * Whether the sum of limits may exceed what there is. Huge pages and extended resources cannot be overcommitted.
     */
    private static boolean overcommits(String name) {
        boolean isNative = !name.contains("/") || name.contains("kubernetes.io/");
        return isNative && !name.startsWith("hugepages-");
    }

    private static BigDecimal value(JsonNode quantity) {
        BigDecimal value = Quantities.parse(quantity.asString(""));
        return value == null ? BigDecimal.ZERO : value;
    }
}
