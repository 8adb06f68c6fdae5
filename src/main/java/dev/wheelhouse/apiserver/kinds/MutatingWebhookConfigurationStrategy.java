package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Problems;

/** Mutating webhook configurations (upstream: {@code pkg/registry/admissionregistration/mutatingwebhookconfiguration}). */
final class MutatingWebhookConfigurationStrategy extends Strategy {
    MutatingWebhookConfigurationStrategy() {
        super("admissionregistration.k8s.io", "MutatingWebhookConfiguration");
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        AdmissionValidation.webhooks(object, true, problems);
    }
}
