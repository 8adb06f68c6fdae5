package dev.wheelhouse.apiserver.validation;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

/** The rules of affinity and topology spread constraints (upstream: {@code pkg/apis/core/validation/validation.go}). */
public final class AffinityValidation {
    private AffinityValidation() {}

    static void validate(JsonNode podSpec, String path, Problems problems) {
        JsonNode affinity = podSpec.path("affinity");
        node(affinity.path("nodeAffinity"), path + ".affinity.nodeAffinity", problems);
        pods(affinity.path("podAffinity"), path + ".affinity.podAffinity", problems);
        pods(affinity.path("podAntiAffinity"), path + ".affinity.podAntiAffinity", problems);
        spread(podSpec.path("topologySpreadConstraints"), path + ".topologySpreadConstraints", problems);
    }

    private static void node(JsonNode affinity, String path, Problems problems) {
        JsonNode required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution");
        if (required != null) {
            nodeSelector(required, path + ".requiredDuringSchedulingIgnoredDuringExecution", problems);
        }
        Problems.each(affinity, path, "preferredDuringSchedulingIgnoredDuringExecution", (preferred, at) -> {
            weight(preferred, at, problems);
            term(preferred.path("preference"), at + ".preference", problems);
        });
    }

    /** Checks a {@code v1 NodeSelector}. */
    public static void nodeSelector(JsonNode selector, String path, Problems problems) {
        String at = path + ".nodeSelectorTerms";
        if (selector.path("nodeSelectorTerms").isEmpty()) {
            problems.required(at, "must have at least one node selector term");
        }
        Problems.each(selector.path("nodeSelectorTerms"), at, (term, place) -> term(term, place, problems));
    }

    private static void term(JsonNode term, String path, Problems problems) {
        Problems.each(term, path, "matchExpressions", (requirement, at) -> {
            int values = requirement.path("values").size();
            String operator = Json.text(requirement, "operator");
            switch (operator) {
                case "In", "NotIn" -> {
                    if (values == 0) {
                        problems.required(at + ".values", "must be specified when `operator` is 'In' or 'NotIn'");
                    }
                }
                case "Exists", "DoesNotExist" -> {
                    if (values > 0) {
                        problems.forbidden(at + ".values",
                                "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
                    }
                }
                case "Gt", "Lt" -> {
                    if (values != 1) {
                        problems.required(at + ".values",
                                "must be specified single value when `operator` is 'Lt' or 'Gt'");
                    }
                }
                default -> problems.invalid(at + ".operator", operator, "not a valid selector operator");
            }
            String key = Json.text(requirement, "key");
            problems.invalid(at + ".key", key, Formats.qualifiedName(key));
        });
        Problems.each(term, path, "matchFields", (requirement, at) -> {
            String operator = Json.text(requirement, "operator");
            if (!operator.equals("In") && !operator.equals("NotIn")) {
                problems.invalid(at + ".operator", operator, "not a valid selector operator");
            } else if (requirement.path("values").size() != 1) {
                problems.required(at + ".values",
                        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
            }
            String key = Json.text(requirement, "key");
            if (!key.equals("metadata.name")) {
                problems.invalid(at + ".key", key, "not a valid field selector key");
            }
        });
    }

    private static void pods(JsonNode affinity, String path, Problems problems) {
        Problems.each(affinity, path, "requiredDuringSchedulingIgnoredDuringExecution",
                (term, place) -> podTerm(term, place, problems));
        Problems.each(affinity, path, "preferredDuringSchedulingIgnoredDuringExecution", (preferred, at) -> {
            weight(preferred, at, problems);
            podTerm(preferred.path("podAffinityTerm"), at + ".podAffinityTerm", problems);
        });
    }

    private static void podTerm(JsonNode term, String path, Problems problems) {
        Selectors.validate(term.get("labelSelector"), path + ".labelSelector", problems);
        Selectors.validate(term.get("namespaceSelector"), path + ".namespaceSelector", problems);
        for (JsonNode namespace : term.path("namespaces")) {
            problems.invalid(path + ".namespace", namespace.asString(""), Formats.dnsLabel(namespace.asString("")));
        }
        topologyKey(term, path, "can not be empty", problems);
    }

    private static void topologyKey(JsonNode holder, String path, String whenEmpty, Problems problems) {
        String key = Json.text(holder, "topologyKey");
        if (key.isEmpty()) {
            problems.required(path + ".topologyKey", whenEmpty);
        } else {
            problems.invalid(path + ".topologyKey", key, Formats.qualifiedName(key));
        }
    }

    private static void weight(JsonNode preferred, String path, Problems problems) {
        long weight = Json.number(preferred, 0, "weight");
        if (weight <= 0 || weight > 100) {
            problems.invalid(path + ".weight", weight, "must be in the range 1-100");
        }
    }

    private static void spread(JsonNode constraints, String path, Problems problems) {
        Problems.each(constraints, path, (constraint, at) -> {
            long skew = Json.number(constraint, 0, "maxSkew");
            if (skew <= 0) {
                problems.invalid(at + ".maxSkew", skew, "must be greater than zero");
            }
            topologyKey(constraint, at, "can not be empty", problems);
            String action = Json.text(constraint, "whenUnsatisfiable");
            problems.supported(at + ".whenUnsatisfiable", action, "DoNotSchedule", "ScheduleAnyway");
            if (Json.at(constraint, "minDomains") != null && Json.number(constraint, 0, "minDomains") <= 0) {
                problems.invalid(at + ".minDomains", Json.number(constraint, 0, "minDomains"),
                        "must be greater than zero");
            }
            Selectors.validate(constraint.get("labelSelector"), at + ".labelSelector", problems);
        });
    }
}
