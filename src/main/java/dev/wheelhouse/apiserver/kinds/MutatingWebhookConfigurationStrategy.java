package dev.wheelhouse.apiserver.kinds;

import java.util.Map;
import java.util.function.Consumer;

import tools.jackson.databind.node.ObjectNode;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;

/**
 * Mutating webhook configurations (upstream:
 * {@code pkg/registry/admissionregistration/mutatingwebhookconfiguration}).
 */
final class MutatingWebhookConfigurationStrategy extends ValidatingWebhookConfigurationStrategy {
    MutatingWebhookConfigurationStrategy() {
        super("MutatingWebhookConfiguration");
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put(AdmissionRules.TYPES + "MutatingWebhook", webhook -> {
            addDefaults(webhook);
            set(webhook, "reinvocationPolicy", "Never");
        });
    }
}
