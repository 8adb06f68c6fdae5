package dev.wheelhouse.apiserver.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Selectors;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;

/**
 * The rules that webhooks, admission policies and their bindings share (upstream:
 * {@code pkg/apis/admissionregistration/validation}).
 */
final class AdmissionRules {
    static final String GROUP = "admissionregistration.k8s.io";
    /** The names of the group's types begin with this. */
    static final String TYPES = "io.k8s.api.admissionregistration.v1.";
    private static final String WILDCARD = "*";

    private AdmissionRules() {}

    /** Fills in the defaults of a match: equivalent resources match too, and empty selectors match everything. */
    static void matchAll(ObjectNode match) {
        set(match, "matchPolicy", "Equivalent");
        Json.child(match, "namespaceSelector");
        Json.child(match, "objectSelector");
    }

    /** The column with the kind of a policy's parameters. */
    static TableColumn paramKind() {
        return TableColumn.of("ParamKind", "Kind of the policy's parameters.",
                o -> o.has("spec", "paramKind")
                        ? o.text("spec", "paramKind", "apiVersion") + "/" + o.text("spec", "paramKind", "kind")
                        : Item.UNSET);
    }

    /** A policy has to say which resources it is for. */
    static void matchConstraints(JsonNode spec, Problems problems) {
        JsonNode constraints = spec.get("matchConstraints");
        if (constraints == null) {
            problems.required("spec.matchConstraints");
            return;
        }
        match(constraints, "spec.matchConstraints", problems);
        problems.filled(constraints, "spec.matchConstraints", "resourceRules");
    }

    /** A mutating policy and its binding cannot be for deletions. */
    static void noDeletions(JsonNode spec, String field, Problems problems) {
        for (JsonNode rule : spec.path(field).path("resourceRules")) {
            for (JsonNode operation : rule.path("operations")) {
                problems.supported("spec." + field + ".resourceRules.operations", operation.asString(""), WILDCARD,
                        "CONNECT", "CREATE", "UPDATE");
            }
        }
    }

    /** Checks the objects that a policy or a binding is for. */
    static void match(JsonNode resources, String at, Problems problems) {
        supported(resources, at, "matchPolicy", problems, "Equivalent", "Exact");
        Selectors.validate(resources.get("namespaceSelector"), at + ".namespaceSelector", problems);
        Selectors.validate(resources.get("objectSelector"), at + ".objectSelector", problems);
        rules(resources.path("resourceRules"), at + ".resourceRules", problems);
        rules(resources.path("excludeResourceRules"), at + ".excludeResourceRules", problems);
    }

    /** Checks the requests that a webhook, a policy or a binding is for. */
    static void rules(JsonNode rules, String path, Problems problems) {
        Problems.each(rules, path, (rule, at) -> {
            Set<String> names = new HashSet<>();
            Problems.each(rule.path("resourceNames"), at + ".resourceNames", (name, field) -> {
                problems.invalid(field, name.asString(""), Formats.pathSegment(name.asString("")));
                problems.unique(names, name.asString(""), field, name.toString());
            });
            required(rule, at, "operations", false, problems);
            Problems.each(rule, at, "operations", (operation, field) -> problems.supported(field,
                    operation.asString(""), WILDCARD, "CONNECT", "CREATE", "DELETE", "UPDATE"));
            required(rule, at, "apiGroups", false, problems);
            required(rule, at, "apiVersions", true, problems);
            required(rule, at, "resources", true, problems);
            supported(rule, at, "scope", problems, WILDCARD, "Cluster", "Namespaced");
        });
    }

    /**
     * Checks a list that is required and in which {@code *} is the only element.
     *
     * @param full whether no element may be empty
     */
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

    /** Checks the names of match conditions, and that there are expressions. */
    static void conditions(JsonNode conditions, String path, Problems problems) {
        Set<String> names = new HashSet<>();
        Problems.each(conditions, path, (condition, at) -> {
            String name = Json.text(condition, "name");
            problems.formed(at + ".name", name, Formats::qualifiedName);
            if (!name.isEmpty() && !names.add(name)) {
                problems.duplicate(at + ".name", "\"" + name + "\"");
            }
            if (Json.text(condition, "expression").strip().isEmpty()) {
                problems.required(at + ".expression");
            }
        });
    }

    /** Checks the kind of a policy's parameters. */
    static void paramKind(JsonNode spec, Problems problems) {
        if (!spec.has("paramKind")) {
            return;
        }
        JsonNode kind = spec.path("paramKind");
        String apiVersion = Json.text(kind, "apiVersion");
        if (apiVersion.isEmpty()) {
            problems.required("spec.paramKind.apiVersion");
        } else {
            version(apiVersion, problems);
        }
        String name = Json.text(kind, "kind");
        if (name.isEmpty()) {
            problems.required("spec.paramKind.kind");
            return;
        }
        List<String> wrong = Formats.dns1035Label(name.toLowerCase(Locale.ROOT));
        if (!wrong.isEmpty()) {
            problems.invalid("spec.paramKind.kind", name,
                    "may have mixed case, but should otherwise match: " + String.join(",", wrong));
        }
    }

    private static void version(String apiVersion, Problems problems) {
        String at = "spec.paramKind.apiVersion";
        String[] parts = apiVersion.split("/", -1);
        String version = parts[parts.length - 1];
        if (parts.length > 2) {
            problems.invalid(at, apiVersion, "unexpected GroupVersion string: " + apiVersion);
            return;
        }
        if (parts.length == 2 && !parts[0].isEmpty()) {
            all(at, parts[0], Formats.dnsSubdomain(parts[0]), problems);
        }
        if (version.isEmpty()) {
            problems.invalid(at, apiVersion, "version must be specified");
        } else {
            all(at, version, Formats.dns1035Label(version), problems);
        }
    }

    /** Reports all that is wrong with a value as one problem. */
    private static void all(String at, String value, List<String> wrong, Problems problems) {
        if (!wrong.isEmpty()) {
            problems.invalid(at, value, String.join(",", wrong));
        }
    }

    /** Refuses a value that is not one of these; a missing one is fine. */
    static void supported(JsonNode object, String at, String field, Problems problems, String... values) {
        JsonNode value = object.get(field);
        if (value != null && !List.of(values).contains(value.asString(""))) {
            problems.notSupported(at + "." + field, value.asString(""), values);
        }
    }
}
