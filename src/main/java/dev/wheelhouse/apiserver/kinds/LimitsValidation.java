package dev.wheelhouse.apiserver.kinds;

import java.math.BigDecimal;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.facts.Quantities;

/** The rules of limit ranges, quotas and revisions (upstream: {@code pkg/apis/core/validation}). */
final class LimitsValidation {
    private static final Set<String> SCOPES = Set.of("Terminating", "NotTerminating", "BestEffort", "NotBestEffort",
            "PriorityClass", "CrossNamespacePodAffinity", "VolumeAttributesClass");
    private static final Set<String> LIMITED = Set.of("Pod", "Container", "PersistentVolumeClaim");

    private LimitsValidation() {}

    static void limitRange(ObjectNode range, Problems problems) {
        Set<String> types = new HashSet<>();
        int i = 0;
        for (JsonNode limit : range.path("spec").path("limits")) {
            String at = Problems.at("spec.limits", i++);
            String type = Json.text(limit, "type");
            if (!LIMITED.contains(type)) {
                problems.invalid(at + ".type", type, Formats.qualifiedName(type));
                if (type.indexOf('/') < 0) {
                    problems.invalid(at + ".type", type, "must be a standard limit type or fully qualified");
                }
            }
            if (!types.add(type)) {
                problems.duplicate(at + ".type", "\"" + type + "\"");
            }
            limit(limit, type, at, problems);
        }
    }

    private static void limit(JsonNode limit, String type, String at, Problems problems) {
        Set<String> names = new TreeSet<>();
        for (String list : List.of("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")) {
            for (String name : limit.path(list).propertyNames()) {
                names.add(name);
                String field = Problems.key(at + "." + list, name);
                List<String> wrong = Formats.qualifiedName(name);
                problems.invalid(field, name, wrong);
                if (wrong.isEmpty() && type.equals("Container") && name.indexOf('/') < 0
                        && !List.of("cpu", "memory", "ephemeral-storage").contains(name)
                        && !name.startsWith("hugepages-")) {
                    problems.invalid(field, name, "must be a standard resource for containers");
                }
            }
        }
        if (type.equals("Pod")) {
            for (String list : List.of("default", "defaultRequest")) {
                if (!limit.path(list).isEmpty()) {
                    problems.forbidden(at + "." + list, "may not be specified when `type` is 'Pod'");
                }
            }
        }
        if (type.equals("PersistentVolumeClaim") && !limit.path("min").has("storage")
                && !limit.path("max").has("storage")) {
            problems.required(at + ".limits",
                    "either minimum or maximum storage value is required, but neither was provided");
        }
        for (String name : names) {
            ordered(limit, name, "min", "max", at, problems);
            ordered(limit, name, "min", "defaultRequest", at, problems);
            ordered(limit, name, "defaultRequest", "max", at, problems);
            ordered(limit, name, "defaultRequest", "default", at, problems);
            ordered(limit, name, "min", "default", at, problems);
            ordered(limit, name, "default", "max", at, problems);
            BigDecimal ratio = Quantities.parse(Json.text(limit, "maxLimitRequestRatio", name));
            if (ratio != null && ratio.compareTo(BigDecimal.ONE) < 0) {
                problems.invalid(Problems.key(at + ".maxLimitRequestRatio", name),
                        Json.text(limit, "maxLimitRequestRatio", name), "ratio " + ratio.toPlainString()
                                + " is less than 1");
            }
        }
    }

    private static void ordered(JsonNode limit, String name, String less, String more, String at, Problems problems) {
        BigDecimal lower = Quantities.parse(Json.text(limit, less, name));
        BigDecimal upper = Quantities.parse(Json.text(limit, more, name));
        if (lower != null && upper != null && lower.compareTo(upper) > 0) {
            problems.invalid(Problems.key(at + "." + (less.equals("default") ? "default" : less), name),
                    Json.text(limit, less, name), less + " value " + Json.text(limit, less, name)
                            + " is greater than " + more + " value " + Json.text(limit, more, name));
        }
    }

    static void quota(ObjectNode quota, Problems problems) {
        JsonNode spec = quota.path("spec");
        for (Map.Entry<String, JsonNode> hard : spec.path("hard").properties()) {
            String at = Problems.key("spec.hard", hard.getKey());
            problems.invalid(at, hard.getKey(), Formats.qualifiedName(hard.getKey()));
            BigDecimal value = Quantities.parse(hard.getValue().asString(""));
            if (value != null && value.signum() < 0) {
                problems.invalid(at, hard.getValue().asString(""), "must be greater than or equal to 0");
            }
        }
        Set<String> scopes = new HashSet<>();
        for (JsonNode scope : spec.path("scopes")) {
            scopes.add(scope.asString(""));
            if (!SCOPES.contains(scope.asString(""))) {
                problems.invalid("spec.scopes", spec.get("scopes"), "unsupported scope");
            }
        }
        if (scopes.containsAll(List.of("BestEffort", "NotBestEffort"))
                || scopes.containsAll(List.of("Terminating", "NotTerminating"))) {
            problems.invalid("spec.scopes", spec.get("scopes"), "conflicting scopes");
        }
        for (JsonNode requirement : spec.path("scopeSelector").path("matchExpressions")) {
            String at = "spec.scopeSelector.matchExpressions";
            String name = Json.text(requirement, "scopeName");
            if (!SCOPES.contains(name)) {
                problems.invalid(at + ".scopeName", name, "unsupported scope");
            }
            String operator = Json.text(requirement, "operator");
            if (!List.of("In", "NotIn", "Exists", "DoesNotExist").contains(operator)) {
                problems.invalid(at + ".operator", operator, "not a valid selector operator");
            } else if (operator.endsWith("In") == requirement.path("values").isEmpty()) {
                problems.required(at + ".values", "must be atleast one value when `operator` is 'In' or 'NotIn' for "
                        + "scope selector");
            }
        }
    }

    static void quotaUpdate(ObjectNode quota, ObjectNode old, Problems problems) {
        quota(quota, problems);
        Set<JsonNode> now = new HashSet<>();
        quota.path("spec").path("scopes").forEach(now::add);
        Set<JsonNode> before = new HashSet<>();
        old.path("spec").path("scopes").forEach(before::add);
        if (!now.equals(before)) {
            problems.invalid("spec.scopes", quota.path("spec").get("scopes"), "field is immutable");
        }
    }

    static void revision(ObjectNode revision, Problems problems) {
        long number = Json.number(revision, 0, "revision");
        if (number < 0) {
            problems.invalid("revision", number, "must be greater than or equal to 0");
        }
        JsonNode data = revision.get("data");
        if (data == null || !data.isObject()) {
            problems.required("data", data == null ? "data is mandatory" : "data must be a valid JSON object");
        }
    }

    static void revisionUpdate(ObjectNode revision, ObjectNode old, Problems problems) {
        revision(revision, problems);
        problems.immutable("data", revision.get("data"), old.get("data"));
    }
}
