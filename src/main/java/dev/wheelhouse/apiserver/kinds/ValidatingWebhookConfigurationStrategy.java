package dev.wheelhouse.apiserver.kinds;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Subject;
import dev.wheelhouse.cel.CelExpression.ResultType;
import dev.wheelhouse.cel.PolicyTypes;
import dev.wheelhouse.cel.RuleException;

/**
 * Webhook configurations. The rows of mutating ones call the methods too (upstream:
 * {@code pkg/registry/admissionregistration/validatingwebhookconfiguration}).
 */
final class ValidatingWebhookConfigurationStrategy extends Strategy {
    ValidatingWebhookConfigurationStrategy() {
        super(AdmissionRules.GROUP, "ValidatingWebhookConfiguration");
    }

    static void matchExpression(Subject expression) {
        String text = expression.text().strip();
        if (text.isEmpty()) {
            expression.problems().required(expression.path());
            return;
        }
        try {
            PolicyTypes.ofConditions(false).compile(text, ResultType.BOOL);
        } catch (RuleException e) {
            expression.problems().invalid(expression.path(), text, String.valueOf(e.getMessage()));
        }
    }

    static void webhookUrl(Subject subject) {
        Problems problems = subject.problems();
        String form = "; desired format: https://host[/path]";
        try {
            URI url = new URI(subject.text());
            String scheme = url.getScheme() == null ? "" : url.getScheme();
            if (!scheme.equals("https")) {
                problems.invalid(subject.path(), scheme, "'https' is the only allowed URL scheme" + form);
            }
            String authority = url.getRawAuthority() == null ? "" : url.getRawAuthority();
            int at = authority.lastIndexOf('@');
            if (authority.length() == at + 1) {
                problems.invalid(subject.path(), "", "host must be specified" + form);
            }
            refuse(subject, at < 0 ? "" : authority.substring(0, at), "user information is not permitted in the URL");
            refuse(subject, url.getFragment(), "fragments are not permitted in the URL");
            refuse(subject, url.getRawQuery(), "query parameters are not permitted in the URL");
        } catch (URISyntaxException e) {
            if (subject.text().startsWith("https:///") || subject.text().equals("https://")) {
                problems.invalid(subject.path(), "", "host must be specified" + form);
            } else {
                problems.required(subject.path(), "url must be a valid URL: parse \"" + subject.text() + "\": "
                        + e.getReason() + form);
            }
        }
    }

    private static void refuse(Subject url, @Nullable String part, String message) {
        if (part != null && !part.isEmpty()) {
            url.problems().invalid(url.path(), part, message);
        }
    }

    static void webhookPath(Subject subject) {
        String path = subject.text();
        if (path.isEmpty() || path.equals("/")) {
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

    static void reviewVersions(Subject versions) {
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
