package dev.wheelhouse.apiserver.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Rules.Check;
import dev.wheelhouse.apiserver.validation.Subject;

/**
 * Webhook configurations. The rows of mutating ones call the methods too (upstream:
 * {@code pkg/registry/admissionregistration/validatingwebhookconfiguration}).
 */
final class ValidatingWebhookConfigurationStrategy extends Strategy {
    ValidatingWebhookConfigurationStrategy() {
        super(AdmissionRules.GROUP, "ValidatingWebhookConfiguration");
    }

    @Override
    protected void addChecks(Map<String, Check> checks) {
        checks.put("threeSegments", ValidatingWebhookConfigurationStrategy::threeSegments);
        checks.put("notBlank", ValidatingWebhookConfigurationStrategy::notBlank);
        checks.put("webhookUrl", ValidatingWebhookConfigurationStrategy::url);
        checks.put("webhookPath", ValidatingWebhookConfigurationStrategy::path);
        checks.put("reviewVersions", ValidatingWebhookConfigurationStrategy::reviewVersions);
    }

    private static void threeSegments(Subject name) {
        if (!name.text().isEmpty() && name.text().split("\\.", -1).length < 3) {
            name.problems().invalid(name.path(), name.text(),
                    "should be a domain with at least three segments separated by dots");
        }
    }

    private static void notBlank(Subject expression) {
        if (expression.text().strip().isEmpty()) {
            expression.problems().required(expression.path());
        }
    }

    private static void url(Subject subject) {
        String url = subject.text();
        if (!url.startsWith("https://") || url.length() <= "https://".length()) {
            subject.problems().invalid(subject.path(), url, "must be a URL with the scheme https and a host");
        } else if (url.contains("?") || url.contains("#") || url.contains("@")) {
            subject.problems().invalid(subject.path(), url,
                    "user information, fragments and queries are not permitted in the URL");
        }
    }

    private static void path(Subject subject) {
        String path = subject.text();
        if (path.equals("/")) {
            return;
        }
        if (!path.startsWith("/")) {
            subject.problems().invalid(subject.path(), path, "must start with a '/'");
        }
        String[] steps = (path.startsWith("/") ? path.substring(1) : path).split("/", -1);
        for (int i = 0; i < steps.length; i++) {
            List<String> wrong = Formats.dnsSubdomain(steps[i]);
            if (steps[i].isEmpty() && (i < steps.length - 1 || steps.length == 1)) {
                subject.problems().invalid(subject.path(), path, "segment[" + i + "] may not be empty");
            } else if (!steps[i].isEmpty() && !wrong.isEmpty()) {
                subject.problems().invalid(subject.path(), path,
                        "segment[" + i + "]: " + String.join("; ", wrong));
            }
        }
    }

    private static void reviewVersions(Subject versions) {
        Set<String> seen = new HashSet<>();
        Problems.each(versions.value(), versions.path(), (node, field) -> {
            String version = node.asString("");
            if (!seen.add(version)) {
                versions.problems().invalid(field, version, "duplicate version");
            } else {
                versions.problems().invalid(field, version, Formats.dns1035Label(version));
            }
        });
        if (!seen.contains("v1") && !seen.contains("v1beta1")) {
            versions.problems().invalid(versions.path(), versions.value(), "must include at least one of v1, v1beta1");
        }
    }
}
