package dev.wheelhouse.apiserver.kinds;

import java.util.Map;

import dev.wheelhouse.apiserver.table.Item;

/**
 * Bindings of mutating admission policies, and the base of the strategy of bindings of validating ones (upstream:
 * {@code pkg/registry/admissionregistration/mutatingadmissionpolicybinding}).
 */
class MutatingAdmissionPolicyBindingStrategy extends Strategy {
    MutatingAdmissionPolicyBindingStrategy() {
        this("MutatingAdmissionPolicyBinding");
    }

    MutatingAdmissionPolicyBindingStrategy(String kind) {
        super(AdmissionRules.GROUP, kind, Map.of("paramRef", MutatingAdmissionPolicyBindingStrategy::parameters));
    }

    private static String parameters(Item binding) {
        Item reference = binding.part("spec", "paramRef");
        if (!reference.text("name").isEmpty()) {
            return reference.textOr("*", "namespace") + "/" + reference.text("name");
        }
        return reference.has("selector") ? reference.selector("selector") : Item.UNSET;
    }
}
