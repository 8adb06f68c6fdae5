package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Problems;

/** Mutating admission policy bindings (upstream: {@code pkg/registry/admissionregistration/mutatingadmissionpolicybinding}). */
final class MutatingAdmissionPolicyBindingStrategy extends Strategy {
    MutatingAdmissionPolicyBindingStrategy() {
        super("admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding");
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        AdmissionValidation.binding(object, true, problems);
    }
}
