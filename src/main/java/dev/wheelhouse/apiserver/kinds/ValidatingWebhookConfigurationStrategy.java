package dev.wheelhouse.apiserver.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Selectors;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;

/**
 * Validating webhook configurations, and the base of the strategy of mutating ones (upstream:
 * {@code pkg/registry/admissionregistration/validatingwebhookconfiguration}).
 */
class ValidatingWebhookConfigurationStrategy extends Strategy {
    ValidatingWebhookConfigurationStrategy() {
        this("ValidatingWebhookConfiguration");
    }

    ValidatingWebhookConfigurationStrategy(String kind) {
        super(AdmissionRules.GROUP, kind, Set.of(Trait.UPDATED_BY_VERSION), TableColumn.objectName(),
                TableColumn.integer("Webhooks", "How many webhooks the configuration has.", o -> o.size("webhooks")),
                TableColumn.age());
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put(AdmissionRules.TYPES + "ValidatingWebhook", ValidatingWebhookConfigurationStrategy::addDefaults);
        rules.put(AdmissionRules.TYPES + "RuleWithOperations", rule -> set(rule, "scope", "*"));
        rules.put(AdmissionRules.TYPES + "ServiceReference", service -> set(service, "port", 443));
    }

    static void addDefaults(ObjectNode webhook) {
        set(webhook, "failurePolicy", "Fail");
        AdmissionRules.matchAll(webhook);
        set(webhook, "timeoutSeconds", 10);
    }

    @Override
    protected void validate(ObjectNode configuration, Problems problems) {
        Set<String> names = new HashSet<>();
        Problems.each(configuration.path("webhooks"), "webhooks", (webhook, at) -> {
            webhook(webhook, at, problems);
            String name = Json.text(webhook, "name");
            if (!name.isEmpty() && !names.add(name)) {
                problems.duplicate(at + ".name", "\"" + name + "\"");
            }
        });
    }

    private void webhook(JsonNode webhook, String at, Problems problems) {
        String name = Json.text(webhook, "name");
        problems.formed(at + ".name", name, Formats::dnsSubdomain);
        if (!name.isEmpty() && name.split("\\.", -1).length < 3) {
            problems.invalid(at + ".name", name, "should be a domain with at least three segments separated by dots");
        }
        AdmissionRules.rules(webhook.path("rules"), at + ".rules", problems);
        policies(webhook, at, problems);
        if (!webhook.has("sideEffects")) {
            problems.required(at + ".sideEffects", "must specify one of None, NoneOnDryRun");
        }
        long timeout = Json.number(webhook, 10, "timeoutSeconds");
        if (timeout < 1 || timeout > 30) {
            problems.invalid(at + ".timeoutSeconds", timeout, "the timeout value must be between 1 and 30 seconds");
        }
        Selectors.validate(webhook.get("namespaceSelector"), at + ".namespaceSelector", problems);
        Selectors.validate(webhook.get("objectSelector"), at + ".objectSelector", problems);
        client(webhook.path("clientConfig"), at + ".clientConfig", problems);
        AdmissionRules.conditions(webhook.path("matchConditions"), at + ".matchConditions", problems);
        reviewVersions(webhook.path("admissionReviewVersions"), at + ".admissionReviewVersions",
                "must specify one of v1, v1beta1", problems);
    }

    /** Checks the fields that have one of a few values. */
    void policies(JsonNode webhook, String at, Problems problems) {
        AdmissionRules.supported(webhook, at, "failurePolicy", problems, "Fail", "Ignore");
        AdmissionRules.supported(webhook, at, "matchPolicy", problems, "Equivalent", "Exact");
        AdmissionRules.supported(webhook, at, "sideEffects", problems, "None", "NoneOnDryRun");
    }

    /** Checks the address of a webhook. */
    static void client(JsonNode client, String at, Problems problems) {
        JsonNode service = client.get("service");
        if (client.has("url") == (service != null)) {
            problems.required(at, "exactly one of url or service is required");
        } else if (service == null) {
            String url = Json.text(client, "url");
            if (!url.startsWith("https://") || url.length() <= "https://".length()) {
                problems.invalid(at + ".url", url, "must be a URL with the scheme https and a host");
            } else if (url.contains("?") || url.contains("#") || url.contains("@")) {
                problems.invalid(at + ".url", url,
                        "user information, fragments and queries are not permitted in the URL");
            }
        } else {
            service(service, at + ".service", problems);
        }
    }

    private static void service(JsonNode service, String at, Problems problems) {
        for (String field : List.of("name", "namespace")) {
            problems.filled(service, at, field, "service " + field + " is required");
        }
        long port = Json.number(service, 443, "port");
        if (port < 1 || port > 65535) {
            problems.invalid(at + ".port", port, "port is not valid: must be between 1 and 65535, inclusive");
        }
        String path = Json.text(service, "path");
        if (service.has("path") && !path.equals("/")) {
            if (!path.startsWith("/")) {
                problems.invalid(at + ".path", path, "must start with a '/'");
            }
            String[] steps = (path.startsWith("/") ? path.substring(1) : path).split("/", -1);
            for (int i = 0; i < steps.length; i++) {
                if (steps[i].isEmpty() && i == steps.length - 1 && steps.length > 1) {
                    continue;
                }
                if (steps[i].isEmpty()) {
                    problems.invalid(at + ".path", path, "segment[" + i + "] may not be empty");
                } else if (!Formats.dnsSubdomain(steps[i]).isEmpty()) {
                    problems.invalid(at + ".path", path,
                            "segment[" + i + "]: " + String.join("; ", Formats.dnsSubdomain(steps[i])));
                }
            }
        }
    }

    /** @param ifNone what to say if there is no version */
    static void reviewVersions(JsonNode versions, String at, String ifNone, Problems problems) {
        if (versions.isEmpty()) {
            problems.required(at, ifNone);
            return;
        }
        Set<String> seen = new HashSet<>();
        Problems.each(versions, at, (node, field) -> {
            String version = node.asString("");
            if (!seen.add(version)) {
                problems.invalid(field, version, "duplicate version");
            } else {
                problems.invalid(field, version, Formats.dns1035Label(version));
            }
        });
        if (!seen.contains("v1") && !seen.contains("v1beta1")) {
            problems.invalid(at, versions, "must include at least one of v1, v1beta1");
        }
    }
}
