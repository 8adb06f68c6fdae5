package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Problems;

/** Validating admission policy bindings (upstream: {@code pkg/registry/admissionregistration/validatingadmissionpolicybinding}). */
final class ValidatingAdmissionPolicyBindingStrategy extends Strategy {
    ValidatingAdmissionPolicyBindingStrategy() {
        super("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding");
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        AdmissionValidation.binding(object, false, problems);
    }
}
