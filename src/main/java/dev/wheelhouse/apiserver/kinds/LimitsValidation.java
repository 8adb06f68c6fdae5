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

/** The rules of autoscalers, limit ranges, quotas and revisions (upstream: {@code pkg/apis/autoscaling/validation}, {@code pkg/apis/core/validation}). */
final class LimitsValidation {
    private static final Set<String> SCOPES = Set.of("Terminating", "NotTerminating", "BestEffort", "NotBestEffort",
            "PriorityClass", "CrossNamespacePodAffinity", "VolumeAttributesClass");
    private static final Set<String> LIMITED = Set.of("Pod", "Container", "PersistentVolumeClaim");

    private LimitsValidation() {}

    static void autoscaler(ObjectNode autoscaler, Problems problems) {
        JsonNode spec = autoscaler.path("spec");
        long least = Json.number(spec, 1, "minReplicas");
        long most = Json.number(spec, 0, "maxReplicas");
        if (least < 1) {
            problems.invalid("spec.minReplicas", least, "must be greater than or equal to 1");
        }
        if (most < 1) {
            problems.invalid("spec.maxReplicas", most, "must be greater than 0");
        }
        if (most < least) {
            problems.invalid("spec.maxReplicas", most, "must be greater than or equal to `minReplicas`");
        }
        JsonNode target = spec.path("scaleTargetRef");
        for (String field : List.of("kind", "name")) {
            String value = Json.text(target, field);
            if (value.isEmpty()) {
                problems.required("spec.scaleTargetRef." + field);
            } else {
                problems.invalid("spec.scaleTargetRef." + field, value, Formats.pathSegment(value));
            }
        }
        String version = Json.text(target, "apiVersion");
        if (version.split("/", -1).length > 2 || version.startsWith("/") || version.endsWith("/")) {
            problems.invalid("spec.scaleTargetRef.apiVersion", version, "unexpected GroupVersion string: " + version);
        }
        int i = 0;
        for (JsonNode metric : spec.path("metrics")) {
            metric(metric, Problems.at("spec.metrics", i++), problems);
        }
        for (String direction : List.of("scaleUp", "scaleDown")) {
            JsonNode rules = spec.path("behavior").get(direction);
            if (rules != null) {
                behavior(rules, "spec.behavior." + direction, problems);
            }
        }
    }

    private static void metric(JsonNode metric, String at, Problems problems) {
        String type = Json.text(metric, "type");
        String field = switch (type) {
            case "Object" -> "object";
            case "Pods" -> "pods";
            case "Resource" -> "resource";
            case "ContainerResource" -> "containerResource";
            case "External" -> "external";
            default -> "";
        };
        if (type.isEmpty()) {
            problems.required(at + ".type", "must specify a metric source type");
            return;
        }
        if (field.isEmpty()) {
            problems.notSupported(at + ".type", type, "ContainerResource", "External", "Object", "Pods", "Resource");
            return;
        }
        for (String other : List.of("object", "pods", "resource", "containerResource", "external")) {
            if (metric.has(other) && !other.equals(field)) {
                problems.forbidden(at + "." + other, "must populate the given metric source only");
            }
        }
        JsonNode source = metric.get(field);
        if (source == null) {
            problems.required(at + "." + field, "must populate information for the given metric source");
            return;
        }
        boolean resource = field.endsWith("esource");
        if (Json.text(source, resource ? new String[]{"name"} : new String[]{"metric", "name"}).isEmpty()) {
            problems.required(at + "." + field + (resource ? ".name" : ".metric.name"),
                    resource ? "must specify a resource name" : "must specify a metric name");
        }
        target(source.path("target"), at + "." + field + ".target", problems);
    }

    private static void target(JsonNode target, String at, Problems problems) {
        String type = Json.text(target, "type");
        if (type.isEmpty()) {
            problems.required(at + ".type", "must specify a metric target type");
        } else if (!List.of("Utilization", "Value", "AverageValue").contains(type)) {
            problems.invalid(at + ".type", type, "must be either Utilization, Value, or AverageValue");
        }
        if (target.has("averageUtilization") && Json.number(target, 0, "averageUtilization") < 1) {
            problems.invalid(at + ".averageUtilization", Json.number(target, 0, "averageUtilization"),
                    "must be greater than 0");
        }
        for (String field : List.of("value", "averageValue")) {
            BigDecimal value = Quantities.parse(Json.text(target, field));
            if (value != null && value.signum() != 1) {
                problems.invalid(at + "." + field, Json.text(target, field), "must be positive");
            }
        }
        if (!target.has("averageUtilization") && !target.has("averageValue") && !target.has("value")) {
            problems.required(at + ".averageUtilization",
                    "must set either a target raw value or a target utilization");
        }
    }

    private static void behavior(JsonNode rules, String at, Problems problems) {
        long window = Json.number(rules, 0, "stabilizationWindowSeconds");
        if (window < 0) {
            problems.invalid(at + ".stabilizationWindowSeconds", window, "must be greater than or equal to zero");
        } else if (window > 3600) {
            problems.invalid(at + ".stabilizationWindowSeconds", window, "must be less than or equal to 3600");
        }
        if (rules.has("selectPolicy")) {
            problems.oneOf(at + ".selectPolicy", Json.text(rules, "selectPolicy"), "Disabled", "Max", "Min");
        }
        int i = 0;
        for (JsonNode policy : rules.path("policies")) {
            String field = Problems.at(at + ".policies", i++);
            String type = Json.text(policy, "type");
            if (!type.equals("Pods") && !type.equals("Percent")) {
                problems.notSupported(field + ".type", type, "Percent", "Pods");
            }
            for (String number : List.of("value", "periodSeconds")) {
                if (Json.number(policy, 0, number) <= 0) {
                    problems.invalid(field + "." + number, Json.number(policy, 0, number), "must be greater than zero");
                }
            }
            if (Json.number(policy, 0, "periodSeconds") > 1800) {
                problems.invalid(field + ".periodSeconds", Json.number(policy, 0, "periodSeconds"),
                        "must be less than or equal to 1800");
            }
        }
    }

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
