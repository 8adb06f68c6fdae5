package dev.wheelhouse.controllers.policy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1NamedRuleWithOperations;
import io.kubernetes.client.openapi.models.V1ParamKind;
import io.kubernetes.client.openapi.models.V1ValidatingAdmissionPolicy;
import io.kubernetes.client.openapi.models.V1ValidatingAdmissionPolicySpec;
import io.kubernetes.client.openapi.models.V1Validation;
import io.kubernetes.client.openapi.models.V1Variable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.cel.PolicyTypes;
import dev.wheelhouse.client.KubeClient;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Checks the expressions of policies against the types of the objects that they match (upstream:
 * {@code apiserver/pkg/admission/plugin/policy/validating/typechecking.go}). It reads discovery and the OpenAPI
 * documents of the matched groups for each check.
 */
record TypeChecker(KubeClient client) {
    /** The most types that one rule adds. */
    private static final int MOST_TYPES = 10;

    /** The type errors of one expression, an element of {@code status.typeChecking.expressionWarnings}. */
    record Warning(String fieldRef, String warning) {}

    /** @param group empty for the core group */
    private record Kind(String group, String version, String kind) {
        private static final Comparator<Kind> ORDER = Comparator.comparing(Kind::group).thenComparing(Kind::version)
                .thenComparing(Kind::kind);

        static Kind of(String apiVersion, String kind) {
            int slash = apiVersion.indexOf('/');
            return new Kind(apiVersion.substring(0, Math.max(slash, 0)), apiVersion.substring(slash + 1), kind);
        }

        /** The path of the kind's group and version, below {@code /} and {@code /openapi/v3/}. */
        String path() {
            return group.isEmpty() ? "api/" + version : "apis/" + group + "/" + version;
        }

        @Override
        public String toString() {
            return group + "/" + version + ", Kind=" + kind;
        }
    }

    /** @throws KubeApiException if discovery or a schema cannot be read */
    List<Warning> check(V1ValidatingAdmissionPolicy policy) {
        V1ValidatingAdmissionPolicySpec spec = policy.getSpec();
        Map<String, JsonNode> documents = new HashMap<>();
        V1ParamKind paramKind = spec.getParamKind();
        PolicyTypes.Definition params = paramKind == null
                ? null
                : definition(Kind.of(paramKind.getApiVersion(), paramKind.getKind()), documents);
        Map<Kind, PolicyTypes> types = new LinkedHashMap<>();
        for (Kind kind : kinds(spec)) {
            PolicyTypes.Definition objects = definition(kind, documents);
            if (objects != null) {
                PolicyTypes known = new PolicyTypes(objects, paramKind != null, params);
                for (V1Variable variable : orEmpty(spec.getVariables())) {
                    known.addVariable(variable.getName(), variable.getExpression());
                }
                types.put(kind, known);
            }
        }
        List<Warning> warnings = new ArrayList<>();
        int i = 0;
        for (V1Validation validation : orEmpty(spec.getValidations())) {
            String at = "spec.validations[" + i++ + "].";
            check(at + "expression", validation.getExpression(), types, warnings);
            check(at + "messageExpression", validation.getMessageExpression(), types, warnings);
        }
        return warnings;
    }

    private static void check(String field, @Nullable String expression, Map<Kind, PolicyTypes> types,
            List<Warning> warnings) {
        if (expression == null || expression.isEmpty()) {
            return;
        }
        List<String> all = new ArrayList<>();
        types.forEach((kind, known) -> {
            String errors = known.errors(expression);
            if (!errors.isEmpty()) {
                all.add(kind + ": " + errors + "\n");
            }
        });
        if (!all.isEmpty()) {
            warnings.add(new Warning(field, String.join("\n", all)));
        }
    }

    /** The kinds that the rules of a policy name. A rule with a wildcard for groups or versions names none. */
    private Set<Kind> kinds(V1ValidatingAdmissionPolicySpec spec) {
        Set<Kind> kinds = new TreeSet<>(Kind.ORDER);
        if (spec.getMatchConstraints() == null) {
            return kinds;
        }
        for (V1NamedRuleWithOperations rule : orEmpty(spec.getMatchConstraints().getResourceRules())) {
            int count = 0;
            List<String> resources = orEmpty(rule.getResources()).stream().filter(name -> !isOpen(name)).sorted()
                    .toList();
            for (String group : closed(rule.getApiGroups())) {
                for (String version : closed(rule.getApiVersions())) {
                    for (String resource : resources) {
                        for (Kind kind : kindsOf(group, version, resource)) {
                            kinds.add(kind);
                            if (++count == MOST_TYPES) {
                                return kinds;
                            }
                        }
                    }
                }
            }
        }
        return kinds;
    }

    private static List<String> closed(@Nullable List<String> names) {
        return orEmpty(names).stream().anyMatch(name -> name.contains("*"))
                ? List.of()
                : orEmpty(names).stream().sorted().toList();
    }

    private static boolean isOpen(String resource) {
        return resource.contains("*") || resource.contains("/");
    }

    /** The kinds of a resource. As in upstream, the core group stands for all groups. */
    private List<Kind> kindsOf(String group, String version, String resource) {
        if (!group.isEmpty()) {
            return client.find("/" + new Kind(group, version, "").path()).path("resources").valueStream()
                    .filter(known -> known.path("name").asString("").equals(resource))
                    .map(known -> new Kind(group, version, known.path("kind").asString(""))).toList();
        }
        KubeClient.Discovered all = client.discover();
        return Stream.concat(all.types().stream(), all.otherVersions().stream())
                .filter(type -> type.version().equals(version) && type.plural().equals(resource))
                .map(type -> new Kind(type.group(), version, type.kind())).sorted(Kind.ORDER).toList();
    }

    /** @return null if the server publishes no schema of the kind */
    private PolicyTypes.@Nullable Definition definition(Kind kind, Map<String, JsonNode> documents) {
        JsonNode schemas = documents.computeIfAbsent("/openapi/v3/" + kind.path(), client::find).path("components")
                .path("schemas");
        return schemas.properties().stream()
                .filter(schema -> schema.getValue().path("x-kubernetes-group-version-kind").valueStream()
                        .anyMatch(known -> kind.equals(new Kind(known.path("group").asString(""),
                                known.path("version").asString(""), known.path("kind").asString("")))))
                .map(schema -> new PolicyTypes.Definition(kind.kind(), schemas, schema.getKey())).findFirst()
                .orElse(null);
    }
}
