package dev.wheelhouse.apiserver.admission;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.NullNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.cel.CelBudget;
import dev.wheelhouse.apiserver.cel.CelExpression;
import dev.wheelhouse.apiserver.cel.RuleException;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.protocol.Renderer;
import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.apiserver.validation.Selectors;
import dev.wheelhouse.apiserver.work.Deadline;
import dev.wheelhouse.facts.ResourceInfo;

/**
 * Checks writes by the bound ValidatingAdmissionPolicies (upstream:
 * {@code apiserver/pkg/admission/plugin/policy/validating}). Policies apply to creations, changes and deletions of
 * objects and to writes of subresources such as status, but not to scales, evictions, bindings and connections. There
 * is no audit log, so the action Audit has no effect.
 */
final class AdmissionPolicies {
    private static final String GROUP = "admissionregistration.k8s.io";
    private static final String POLICIES = "validatingadmissionpolicies." + GROUP;
    private static final String BINDINGS = "validatingadmissionpolicybindings." + GROUP;

    private final ObjectStore store;
    private final ResourceRegistry registry;
    private final PolicyMatch match;
    private final Expressions expressions;

    AdmissionPolicies(ObjectStore store, ResourceRegistry registry, Expressions expressions) {
        this.store = store;
        this.registry = registry;
        this.match = new PolicyMatch(store);
        this.expressions = expressions;
    }

    /** Whether any policy is bound. */
    boolean any() {
        return !store.snapshot(BINDINGS).page(Selection.all(), "", 1).items().isEmpty();
    }

    /** @throws ApiException if a policy denies the write */
    void check(Attributes attributes) {
        Map<String, Object> known = new HashMap<>();
        if (attributes.type().group().equals(GROUP) && attributes.type().plural().contains("admissionpolic")) {
            return;
        }
        for (StoredObject stored : store.snapshot(BINDINGS).select(Selection.all())) {
            ObjectNode binding = stored.tree();
            StoredObject found = store.get(POLICIES, "", Json.text(binding, "spec", "policyName"));
            ObjectNode policy = found == null ? null : found.tree();
            if (policy != null && match.matches(policy.path("spec").path("matchConstraints"), attributes)
                    && match.matches(binding.path("spec").path("matchResources"), attributes)) {
                if (known.isEmpty()) {
                    known.putAll(attributes.variables(attributes.type(), match.namespace(attributes)));
                }
                hold(policy, binding, attributes, known);
            }
        }
    }

    /** @param known the variables that all policies share */
    private void hold(ObjectNode policy, ObjectNode binding, Attributes attributes, Map<String, Object> known) {
        List<JsonNode> params = new ArrayList<>();
        if (policy.path("spec").path("paramKind").isMissingNode()) {
            params.add(NullNode.getInstance());
        } else {
            params.addAll(params(policy, binding, attributes));
            if (params.isEmpty() && Json.text(binding, "spec", "paramRef", "parameterNotFoundAction").equals("Deny")) {
                failed(policy, binding, attributes,
                        "failed to configure binding: no params found for policy binding with "
                                + "`Deny` parameterNotFoundAction");
            }
        }
        for (JsonNode param : params) {
            Deadline.check();
            decide(policy, binding, attributes, variables(policy, known, param));
        }
    }

    private List<JsonNode> params(ObjectNode policy, ObjectNode binding, Attributes attributes) {
        ResourceInfo info = registry.findKind(Json.text(policy, "spec", "paramKind", "apiVersion"),
                Json.text(policy, "spec", "paramKind", "kind"));
        if (info == null) {
            return List.of();
        }
        JsonNode ref = binding.path("spec").path("paramRef");
        String namespace = Json.text(ref, "namespace");
        if (namespace.isEmpty() && info.type().namespaced()) {
            namespace = attributes.target().namespace();
        }
        String name = Json.text(ref, "name");
        List<JsonNode> params = new ArrayList<>();
        for (StoredObject stored : store.snapshot(Target.stored(info.type()))
                .select(Selection.inNamespace(namespace))) {
            ObjectNode tree = Renderer.tree(info, stored);
            if (name.isEmpty()
                    ? Selectors.matches(ref.path("selector"), tree.path("metadata").path("labels"))
                    : name.equals(stored.name())) {
                params.add(tree);
            }
        }
        return params;
    }

    private Map<String, Object> variables(ObjectNode policy, Map<String, Object> known, JsonNode params) {
        Map<String, Object> values = new HashMap<>(known);
        values.put("params", CelExpression.value(params));
        CelBudget budget = CelBudget.ofValidations();
        Map<String, Object> named = new HashMap<>();
        values.put("variables", named);
        for (JsonNode variable : policy.path("spec").path("variables")) {
            try {
                named.put(Json.text(variable, "name"),
                        expressions.compiled(Json.text(variable, "expression"), CelExpression.ResultType.ANY).evaluate(
                                values,
                                budget));
            } catch (CelExpression.EvaluationException | RuleException e) {
                // The variable stays undefined, so an expression that uses it fails with a message that names it.
            }
        }
        return values;
    }

    private void decide(ObjectNode policy, ObjectNode binding, Attributes attributes,
            Map<String, Object> values) {
        Expressions.Match match = expressions.match(policy.path("spec").path("matchConditions"), values);
        if (!match.holds()) {
            if (!match.problem().isEmpty()) {
                failed(policy, binding, attributes, match.problem());
            }
            return;
        }
        CelBudget budget = CelBudget.ofValidations();
        for (JsonNode validation : policy.path("spec").path("validations")) {
            String expression = Json.text(validation, "expression");
            try {
                if (!Boolean.TRUE
                        .equals(expressions.compiled(expression, CelExpression.ResultType.BOOL).evaluate(values,
                                budget))) {
                    denied(policy, binding, attributes, message(validation, values, budget),
                            Json.text(validation, "reason"));
                }
            } catch (CelExpression.EvaluationException | RuleException e) {
                failed(policy, binding, attributes, Expressions.problem(expression, e));
            }
        }
    }

    private String message(JsonNode validation, Map<String, Object> values, CelBudget budget) {
        String expression = Json.text(validation, "messageExpression");
        if (!expression.isEmpty()) {
            try {
                if (expressions.compiled(expression, CelExpression.ResultType.STRING).evaluate(values,
                        budget) instanceof String text
                        && !text.isBlank() && text.indexOf('\n') < 0) {
                    return text.strip();
                }
            } catch (CelExpression.EvaluationException | RuleException e) {
                // The plain message is used instead, as upstream does.
            }
        }
        String plain = Json.text(validation, "message").strip();
        return plain.isEmpty() ? "failed expression: " + Json.text(validation, "expression").strip() : plain;
    }

    /** Treats a failed evaluation as a denial, unless the failure policy is Ignore. */
    private static void failed(ObjectNode policy, ObjectNode binding, Attributes attributes, String why) {
        if (!Json.text(policy, "spec", "failurePolicy").equals("Ignore")) {
            denied(policy, binding, attributes, why, "");
        }
    }

    private static void denied(ObjectNode policy, ObjectNode binding, Attributes attributes, String why,
            String reason) {
        String by = "ValidatingAdmissionPolicy '" + Meta.name(policy) + "' with binding '" + Meta.name(binding) + "'";
        boolean denies = false;
        for (JsonNode action : binding.path("spec").path("validationActions")) {
            denies |= action.asString("").equals("Deny");
            if (action.asString("").equals("Warn")) {
                attributes.warnings().add("Validation failed for " + by + ": " + why);
            }
        }
        if (denies) {
            throw Errors.denied(attributes.type(), Meta.name(attributes.subject()), by + " denied request: " + why,
                    reason);
        }
    }
}
