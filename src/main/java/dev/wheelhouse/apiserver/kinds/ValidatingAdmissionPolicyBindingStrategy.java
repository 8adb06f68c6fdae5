package dev.wheelhouse.apiserver.kinds;

import java.util.HashSet;
import java.util.Set;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Problems;

/**
 * Bindings of validating admission policies (upstream:
 * {@code pkg/registry/admissionregistration/validatingadmissionpolicybinding}).
 */
final class ValidatingAdmissionPolicyBindingStrategy extends MutatingAdmissionPolicyBindingStrategy {
    ValidatingAdmissionPolicyBindingStrategy() {
        super("ValidatingAdmissionPolicyBinding");
    }

    @Override
    protected void validate(ObjectNode binding, Problems problems) {
        super.validate(binding, problems);
        JsonNode actions = binding.path("spec").path("validationActions");
        if (actions.isEmpty()) {
            problems.required("spec.validationActions", "at least one validation action is required");
        }
        Set<String> seen = new HashSet<>();
        Problems.each(actions, "spec.validationActions", (node, at) -> {
            String action = node.asString("");
            problems.supported(at, action, "Audit", "Deny", "Warn");
            problems.unique(seen, action, at, "\"" + action + "\"");
        });
        if (seen.contains("Deny") && seen.contains("Warn")) {
            problems.invalid("spec.validationActions", actions,
                    "must not contain both Deny and Warn (repeating the same validation failure information in the API "
                            + "response and headers serves no purpose)");
        }
    }
}
