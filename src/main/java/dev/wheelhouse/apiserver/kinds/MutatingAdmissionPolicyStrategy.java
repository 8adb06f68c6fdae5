package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Problems;

/** Mutating admission policies (upstream: {@code pkg/registry/admissionregistration/mutatingadmissionpolicy}). */
final class MutatingAdmissionPolicyStrategy extends Strategy {
    MutatingAdmissionPolicyStrategy() {
        super("admissionregistration.k8s.io", "MutatingAdmissionPolicy");
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        AdmissionValidation.mutatingPolicy(object, problems);
    }
}
