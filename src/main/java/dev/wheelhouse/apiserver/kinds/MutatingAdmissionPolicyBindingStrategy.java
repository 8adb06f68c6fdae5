package dev.wheelhouse.apiserver.kinds;

import java.util.Set;

import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.table.TableColumn;

/**
 * Bindings of mutating admission policies, and the base of the strategy of bindings of validating ones (upstream:
 * {@code pkg/registry/admissionregistration/mutatingadmissionpolicybinding}).
 */
class MutatingAdmissionPolicyBindingStrategy extends Strategy {
    MutatingAdmissionPolicyBindingStrategy() {
        this("MutatingAdmissionPolicyBinding");
    }

    MutatingAdmissionPolicyBindingStrategy(String kind) {
        super(AdmissionRules.GROUP, kind, Set.of(Trait.UPDATED_BY_VERSION), TableColumn.objectName(),
                TableColumn.of("PolicyName", "Policy that is bound.", o -> o.text("spec", "policyName")),
                TableColumn.of("ParamRef", "Object with the policy's parameters.",
                        MutatingAdmissionPolicyBindingStrategy::parameters),
                TableColumn.age());
    }

    private static String parameters(Item binding) {
        Item reference = binding.part("spec", "paramRef");
        if (!reference.text("name").isEmpty()) {
            return reference.textOr("*", "namespace") + "/" + reference.text("name");
        }
        return reference.has("selector") ? reference.selector("selector") : Item.UNSET;
    }
}
