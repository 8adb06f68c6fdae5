package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Problems;

/** Validating admission policies (upstream: {@code pkg/registry/admissionregistration/validatingadmissionpolicy}). */
final class ValidatingAdmissionPolicyStrategy extends Strategy {
    ValidatingAdmissionPolicyStrategy() {
        super("admissionregistration.k8s.io", "ValidatingAdmissionPolicy");
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        PolicyValidation.policy(object, problems);
    }
}
