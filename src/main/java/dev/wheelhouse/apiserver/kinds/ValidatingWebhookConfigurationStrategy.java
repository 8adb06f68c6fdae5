package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Problems;

/** Validating webhook configurations (upstream: {@code pkg/registry/admissionregistration/validatingwebhookconfiguration}). */
final class ValidatingWebhookConfigurationStrategy extends Strategy {
    ValidatingWebhookConfigurationStrategy() {
        super("admissionregistration.k8s.io", "ValidatingWebhookConfiguration");
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        AdmissionValidation.webhooks(object, false, problems);
    }
}
