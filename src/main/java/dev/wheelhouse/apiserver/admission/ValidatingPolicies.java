package dev.wheelhouse.apiserver.admission;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.admission.BoundPolicies.Invocation;
import dev.wheelhouse.apiserver.admission.BoundPolicies.Problem;
import dev.wheelhouse.apiserver.admission.CompiledPolicy.Validation;
import dev.wheelhouse.apiserver.audit.AuditEvent;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.work.Deadline;
import dev.wheelhouse.cel.CelBudget;
import dev.wheelhouse.cel.CelExpression;
import dev.wheelhouse.cel.CelExpression.EvaluationException;

/**
 * Checks writes by the bound ValidatingAdmissionPolicies (upstream:
 * {@code apiserver/pkg/admission/plugin/policy/validating}). Policies apply to creations, changes and deletions of
 * objects, to what is sent to subresources, and to connections.
 * Thread safe.
 */
record ValidatingPolicies(BoundPolicies policies) {
    /** Whether any policy is bound. */
    boolean any() {
        return policies.any();
    }

    /** @throws StatusException if a policy denies the write */
    void check(Attributes attributes) {
        Decisions decisions = new Decisions(attributes);
        Map<ResourceType, Map<String, Object>> known = new HashMap<>();
        for (Invocation invocation : policies.invocations(attributes, decisions::add)) {
            Deadline.check();
            ResourceType as = invocation.as().type();
            decide(invocation, known.computeIfAbsent(as, type -> policies
                    .variables(Versions.of(attributes, invocation.as()), invocation.as())), decisions);
        }
        if (decisions.refusal != null) {
            throw decisions.refusal;
        }
    }

    /** @param known the values that all policies share */
    private static void decide(Invocation invocation, Map<String, Object> known, Decisions decisions) {
        Object param = CelExpression.value(invocation.param());
        CompiledExpression.Match match = invocation.compiled().match(known, param);
        if (!match.holds()) {
            if (!match.problem().isEmpty()) {
                decisions.failed(invocation, match.problem());
            }
            return;
        }
        CelBudget budget = CelBudget.ofValidations();
        Map<String, Object> values = invocation.compiled().values(known, param, budget);
        int index = 0;
        for (Validation validation : invocation.compiled().validations()) {
            decisions.index = index++;
            try {
                if (!Boolean.TRUE.equals(validation.expression().evaluate(values, budget))) {
                    decisions.denied(invocation, message(validation, values, budget),
                            Json.text(validation.rule(), "reason"));
                }
            } catch (EvaluationException e) {
                decisions.failed(invocation, String.valueOf(e.getMessage()));
            }
        }
    }

    private static String message(Validation validation, Map<String, Object> values, CelBudget budget) {
        if (validation.message() != null) {
            try {
                if (validation.message().evaluate(values, budget) instanceof String text && !text.isBlank()
                        && text.indexOf('\n') < 0) {
                    return text.strip();
                }
            } catch (EvaluationException e) {
                // The plain message is used instead, as upstream does.
            }
        }
        String plain = Json.text(validation.rule(), "message").strip();
        return plain.isEmpty() ? "failed expression: " + Json.text(validation.rule(), "expression").strip() : plain;
    }

    /** The decisions of all policies about one write. The first denial counts; the warnings of all are sent. */
    private static final class Decisions {
        private final Attributes attributes;
        private @Nullable StatusException refusal;
        /** The place of the rule that is evaluated. */
        private int index;

        Decisions(Attributes attributes) {
            this.attributes = attributes;
        }

        /** A policy cannot be applied. The actions of its binding do not matter. */
        void add(Problem problem) {
            if (problem.refuses()) {
                refuse(by(problem.policy(), problem.binding()), problem.why(), "");
            }
        }

        /** Treats a failed evaluation as a denial, unless the failure policy is Ignore. */
        void failed(Invocation invocation, String why) {
            if (invocation.problem(why).refuses()) {
                denied(invocation, why, "");
            }
        }

        void denied(Invocation invocation, String why, String reason) {
            String by = by(invocation.policy(), invocation.binding());
            for (JsonNode action : invocation.binding().path("spec").path("validationActions")) {
                if (action.asString("").equals("Deny")) {
                    refuse(by, why, reason);
                } else if (action.asString("").equals("Warn")) {
                    attributes.warnings().add("Validation failed for " + by + ": " + why);
                } else {
                    ObjectNode failure = Json.object().put("message", why).put("policy", Meta.name(invocation.policy()))
                            .put("binding", Meta.name(invocation.binding())).put("expressionIndex", index);
                    failure.set("validationActions", invocation.binding().path("spec").path("validationActions"));
                    AuditEvent.annotate("validation.policy.admission.k8s.io/validation_failure",
                            Json.array().add(failure).toString());
                }
            }
        }

        private static String by(ObjectNode policy, @Nullable ObjectNode binding) {
            return "ValidatingAdmissionPolicy '" + Meta.name(policy) + "'"
                    + (binding == null ? "" : " with binding '" + Meta.name(binding) + "'");
        }

        private void refuse(String by, String why, String reason) {
            if (refusal == null) {
                refusal = Errors.denied(attributes.type(), attributes.name(), by + " denied request: " + why, reason);
            }
        }
    }
}
