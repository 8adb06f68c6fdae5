package dev.wheelhouse.apiserver.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Selectors;

/** The rules of webhooks and of what binds admission policies (upstream: {@code pkg/apis/admissionregistration/validation}). */
final class AdmissionValidation {
    private static final String WILDCARD = "*";

    private AdmissionValidation() {}

    static void webhooks(ObjectNode configuration, boolean mutating, Problems problems) {
        Set<String> names = new HashSet<>();
        int i = 0;
        for (JsonNode webhook : configuration.path("webhooks")) {
            String at = Problems.at("webhooks", i++);
            webhook(webhook, mutating, at, problems);
            String name = Json.text(webhook, "name");
            if (!name.isEmpty() && !names.add(name)) {
                problems.duplicate(at + ".name", "\"" + name + "\"");
            }
        }
    }

    private static void webhook(JsonNode webhook, boolean mutating, String at, Problems problems) {
        String name = Json.text(webhook, "name");
        if (name.isEmpty()) {
            problems.required(at + ".name");
        } else {
            problems.invalid(at + ".name", name, Formats.dnsSubdomain(name));
            if (name.split("\\.", -1).length < 3) {
                problems.invalid(at + ".name", name,
                        "should be a domain with at least three segments separated by dots");
            }
        }
        rules(webhook.path("rules"), at + ".rules", true, problems);
        supported(webhook, at, "failurePolicy", problems, "Fail", "Ignore");
        supported(webhook, at, "matchPolicy", problems, "Equivalent", "Exact");
        supported(webhook, at, "sideEffects", problems, "None", "NoneOnDryRun");
        if (mutating) {
            supported(webhook, at, "reinvocationPolicy", problems, "IfNeeded", "Never");
        }
        if (!webhook.has("sideEffects")) {
            problems.required(at + ".sideEffects", "must specify one of None, NoneOnDryRun");
        }
        long timeout = Json.number(webhook, 10, "timeoutSeconds");
        if (timeout < 1 || timeout > 30) {
            problems.invalid(at + ".timeoutSeconds", timeout, "the timeout value must be between 1 and 30 seconds");
        }
        Selectors.validate(webhook.get("namespaceSelector"), at + ".namespaceSelector", problems);
        Selectors.validate(webhook.get("objectSelector"), at + ".objectSelector", problems);
        client(webhook.path("clientConfig"), at + ".clientConfig", problems);
        conditions(webhook.path("matchConditions"), at + ".matchConditions", problems);
        reviewVersions(webhook.path("admissionReviewVersions"), at + ".admissionReviewVersions", problems);
    }

    private static void client(JsonNode client, String at, Problems problems) {
        JsonNode service = client.get("service");
        if (client.has("url") == (service != null)) {
            problems.required(at, "exactly one of url or service is required");
        } else if (service == null) {
            String url = Json.text(client, "url");
            if (!url.startsWith("https://") || url.length() <= "https://".length()) {
                problems.invalid(at + ".url", url, "must be a URL with the scheme https and a host");
            } else if (url.contains("?") || url.contains("#") || url.contains("@")) {
                problems.invalid(at + ".url", url,
                        "user information, fragments and queries are not permitted in the URL");
            }
        } else {
            service(service, at + ".service", problems);
        }
    }

    private static void service(JsonNode service, String at, Problems problems) {
        for (String field : List.of("name", "namespace")) {
            if (Json.text(service, field).isEmpty()) {
                problems.required(at + "." + field, "service " + field + " is required");
            }
        }
        long port = Json.number(service, 443, "port");
        if (port < 1 || port > 65535) {
            problems.invalid(at + ".port", port, "port is not valid: must be between 1 and 65535, inclusive");
        }
        String path = Json.text(service, "path");
        if (service.has("path") && !path.equals("/")) {
            if (!path.startsWith("/")) {
                problems.invalid(at + ".path", path, "must start with a '/'");
            }
            String[] steps = (path.startsWith("/") ? path.substring(1) : path).split("/", -1);
            for (int i = 0; i < steps.length; i++) {
                if (steps[i].isEmpty() && i == steps.length - 1 && steps.length > 1) {
                    continue;
                }
                if (steps[i].isEmpty()) {
                    problems.invalid(at + ".path", path, "segment[" + i + "] may not be empty");
                } else if (!Formats.dnsSubdomain(steps[i]).isEmpty()) {
                    problems.invalid(at + ".path", path,
                            "segment[" + i + "]: " + String.join("; ", Formats.dnsSubdomain(steps[i])));
                }
            }
        }
    }

    private static void reviewVersions(JsonNode versions, String at, Problems problems) {
        if (versions.isEmpty()) {
            problems.required(at, "must specify one of v1, v1beta1");
            return;
        }
        Set<String> seen = new HashSet<>();
        int i = 0;
        for (JsonNode node : versions) {
            String version = node.asString("");
            String field = Problems.at(at, i++);
            if (!seen.add(version)) {
                problems.invalid(field, version, "duplicate version");
            } else {
                problems.invalid(field, version, Formats.dns1035Label(version));
            }
        }
        if (!seen.contains("v1") && !seen.contains("v1beta1")) {
            problems.invalid(at, versions, "must include at least one of v1, v1beta1");
        }
    }

    static void mutatingPolicy(ObjectNode policy, Problems problems) {
        JsonNode spec = policy.path("spec");
        supported(spec, "spec", "failurePolicy", problems, "Fail", "Ignore");
        matchConstraints(spec, problems);
        conditions(spec.path("matchConditions"), "spec.matchConditions", problems);
        if (spec.has("paramKind")) {
            paramKind(spec.path("paramKind"), problems);
        }
        if (spec.path("mutations").isEmpty()) {
            problems.required("spec.mutations", "mutations must contain at least one item");
        }
        int i = 0;
        for (JsonNode mutation : spec.path("mutations")) {
            mutation(mutation, Problems.at("spec.mutations", i++), problems);
        }
        if (Json.text(spec, "reinvocationPolicy").isEmpty()) {
            problems.required("spec.reinvocationPolicy");
        } else {
            supported(spec, "spec", "reinvocationPolicy", problems, "IfNeeded", "Never");
        }
    }

    private static void mutation(JsonNode mutation, String at, Problems problems) {
        String type = Json.text(mutation, "patchType");
        switch (type) {
            case "ApplyConfiguration", "JSONPatch" -> {
                String wanted = type.equals("JSONPatch") ? "jsonPatch" : "applyConfiguration";
                String other = type.equals("JSONPatch") ? "applyConfiguration" : "jsonPatch";
                if (!mutation.has(wanted)) {
                    problems.required(at + "." + wanted, "must be specified when patchType is " + type);
                } else if (Json.text(mutation, wanted, "expression").strip().isEmpty()) {
                    problems.required(at + "." + wanted + ".expression", "expression is not specified");
                }
                if (mutation.has(other)) {
                    problems.invalid(at + "." + other, mutation.get(other), "must not be specified when patchType is "
                            + type);
                }
            }
            case "" -> problems.required(at + ".patchType", "patchType is required");
            default -> problems.notSupported(at + ".patchType", type, "ApplyConfiguration", "JSONPatch");
        }
    }

    static void matchConstraints(JsonNode spec, Problems problems) {
        JsonNode constraints = spec.get("matchConstraints");
        if (constraints == null) {
            problems.required("spec.matchConstraints");
            return;
        }
        match(constraints, "spec.matchConstraints", problems);
        if (constraints.path("resourceRules").isEmpty()) {
            problems.required("spec.matchConstraints.resourceRules");
        }
    }

    static void paramKind(JsonNode kind, Problems problems) {
        String apiVersion = Json.text(kind, "apiVersion");
        if (apiVersion.isEmpty()) {
            problems.required("spec.paramKind.apiVersion");
        } else if (apiVersion.split("/", -1).length > 2) {
            problems.invalid("spec.paramKind.apiVersion", apiVersion,
                    "unexpected GroupVersion string: " + apiVersion);
        }
        String name = Json.text(kind, "kind");
        if (name.isEmpty()) {
            problems.required("spec.paramKind.kind");
        } else if (!Formats.dns1035Label(name.toLowerCase(java.util.Locale.ROOT)).isEmpty()) {
            problems.invalid("spec.paramKind.kind", name, "may have mixed case, but should otherwise match: "
                    + String.join(",", Formats.dns1035Label(name.toLowerCase(java.util.Locale.ROOT))));
        }
    }

    static void binding(ObjectNode binding, boolean mutating, Problems problems) {
        JsonNode spec = binding.path("spec");
        String policy = Json.text(spec, "policyName");
        if (policy.isEmpty()) {
            problems.required("spec.policyName");
        } else {
            problems.invalid("spec.policyName", policy, Formats.dnsSubdomain(policy));
        }
        JsonNode reference = spec.get("paramRef");
        if (reference != null) {
            parameter(reference, problems);
        }
        if (spec.has("matchResources")) {
            match(spec.path("matchResources"), "spec.matchResources", problems);
        }
        if (!mutating) {
            actions(spec.path("validationActions"), problems);
        }
    }

    private static void parameter(JsonNode reference, Problems problems) {
        String name = Json.text(reference, "name");
        JsonNode selector = reference.get("selector");
        if (!name.isEmpty()) {
            problems.invalid("spec.paramRef.name", name, Formats.pathSegment(name));
            if (selector != null) {
                problems.forbidden("spec.paramRef.name", "name and selector are mutually exclusive");
            }
        } else if (selector == null) {
            problems.required("spec.paramRef", "one of name or selector must be specified");
        }
        Selectors.validate(selector, "spec.paramRef.selector", problems);
        if (!reference.has("parameterNotFoundAction") || Json.text(reference, "parameterNotFoundAction").isEmpty()) {
            problems.required("spec.paramRef.parameterNotFoundAction");
        } else {
            supported(reference, "spec.paramRef", "parameterNotFoundAction", problems, "Allow", "Deny");
        }
    }

    private static void actions(JsonNode actions, Problems problems) {
        if (actions.isEmpty()) {
            problems.required("spec.validationActions", "at least one validation action is required");
        }
        Set<String> seen = new HashSet<>();
        int i = 0;
        for (JsonNode node : actions) {
            String action = node.asString("");
            String at = Problems.at("spec.validationActions", i++);
            if (!List.of("Audit", "Deny", "Warn").contains(action)) {
                problems.notSupported(at, action, "Audit", "Deny", "Warn");
            }
            if (!seen.add(action)) {
                problems.duplicate(at, "\"" + action + "\"");
            }
        }
        if (seen.contains("Deny") && seen.contains("Warn")) {
            problems.invalid("spec.validationActions", actions,
                    "must not contain both Deny and Warn (repeating the same validation failure information in the API "
                            + "response and headers serves no purpose)");
        }
    }

    private static void match(JsonNode resources, String at, Problems problems) {
        supported(resources, at, "matchPolicy", problems, "Equivalent", "Exact");
        Selectors.validate(resources.get("namespaceSelector"), at + ".namespaceSelector", problems);
        Selectors.validate(resources.get("objectSelector"), at + ".objectSelector", problems);
        rules(resources.path("resourceRules"), at + ".resourceRules", true, problems);
        rules(resources.path("excludeResourceRules"), at + ".excludeResourceRules", true, problems);
    }

    private static void rules(JsonNode rules, String path, boolean named, Problems problems) {
        int i = 0;
        for (JsonNode rule : rules) {
            String at = Problems.at(path, i++);
            JsonNode operations = rule.path("operations");
            required(rule, at, "operations", false, problems);
            int j = 0;
            for (JsonNode operation : operations) {
                String text = operation.asString("");
                if (!List.of(WILDCARD, "CONNECT", "CREATE", "DELETE", "UPDATE").contains(text)) {
                    problems.notSupported(Problems.at(at + ".operations", j), text, WILDCARD, "CONNECT", "CREATE",
                            "DELETE", "UPDATE");
                }
                j++;
            }
            required(rule, at, "apiGroups", false, problems);
            required(rule, at, "apiVersions", true, problems);
            required(rule, at, "resources", true, problems);
            supported(rule, at, "scope", problems, WILDCARD, "Cluster", "Namespaced");
            Set<String> names = new HashSet<>();
            int k = 0;
            for (JsonNode name : named ? rule.path("resourceNames") : Json.array()) {
                String field = Problems.at(at + ".resourceNames", k++);
                problems.invalid(field, name.asString(""), Formats.pathSegment(name.asString("")));
                if (!names.add(name.asString(""))) {
                    problems.duplicate(field, name.toString());
                }
            }
        }
    }

    /** A list with something in it, and with nothing else where it has all. @param full whether no element may be empty */
    private static void required(JsonNode rule, String at, String field, boolean full, Problems problems) {
        JsonNode list = rule.path(field);
        if (list.isEmpty()) {
            problems.required(at + "." + field);
            return;
        }
        int i = 0;
        boolean all = false;
        for (JsonNode element : list) {
            all |= element.asString("").equals(WILDCARD) && !field.equals("resources");
            if (full && element.asString("").isEmpty()) {
                problems.required(Problems.at(at + "." + field, i));
            }
            i++;
        }
        if (all && list.size() > 1) {
            problems.invalid(at + "." + field, list, "if '*' is present, must not specify other "
                    + switch (field) {
                        case "apiGroups" -> "API groups";
                        case "apiVersions" -> "API versions";
                        default -> field;
                    });
        }
    }

    static void conditions(JsonNode conditions, String path, Problems problems) {
        Set<String> names = new HashSet<>();
        int i = 0;
        for (JsonNode condition : conditions) {
            String at = Problems.at(path, i++);
            String name = Json.text(condition, "name");
            if (name.isEmpty()) {
                problems.required(at + ".name");
            } else {
                problems.invalid(at + ".name", name, Formats.qualifiedName(name));
                if (!names.add(name)) {
                    problems.duplicate(at + ".name", "\"" + name + "\"");
                }
            }
            if (Json.text(condition, "expression").strip().isEmpty()) {
                problems.required(at + ".expression");
            }
        }
    }

    private static void supported(JsonNode object, String at, String field, Problems problems, String... values) {
        @Nullable
        JsonNode value = object.get(field);
        if (value != null && !List.of(values).contains(value.asString(""))) {
            problems.notSupported(at + "." + field, value.asString(""), values);
        }
    }
}
