package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Locale;
import java.util.Map;

import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Rules.Check;
import dev.wheelhouse.apiserver.validation.Subject;

/**
 * The rules that webhooks, admission policies and their bindings share (upstream:
 * {@code pkg/apis/admissionregistration/validation}).
 */
final class AdmissionRules {
    static final String GROUP = "admissionregistration.k8s.io";

    private AdmissionRules() {}

    /** The object with the parameters of a policy's binding. */
    static String paramRef(Item binding) {
        Item reference = binding.part("spec", "paramRef");
        if (!reference.text("name").isEmpty()) {
            return reference.textOr("*", "namespace") + "/" + reference.text("name");
        }
        return reference.has("selector") ? reference.selector("selector") : Item.UNSET;
    }

    /** The kind of a policy's parameters. */
    static String paramKind(Item policy) {
        return policy.has("spec", "paramKind")
                ? policy.text("spec", "paramKind", "apiVersion") + "/" + policy.text("spec", "paramKind", "kind")
                : Item.UNSET;
    }

    static void addChecks(Map<String, Check> checks) {
        checks.put("groupVersion", AdmissionRules::version);
        checks.put("mixedCaseLabel", AdmissionRules::mixedCase);
    }

    private static void mixedCase(Subject name) {
        if (!name.text().isEmpty()) {
            all(name, "may have mixed case, but should otherwise match: ",
                    name.text(), Formats.dns1035Label(name.text().toLowerCase(Locale.ROOT)));
        }
    }

    private static void version(Subject subject) {
        String apiVersion = subject.text();
        String[] parts = apiVersion.split("/", -1);
        String version = parts[parts.length - 1];
        if (parts.length > 2) {
            subject.problems().invalid(subject.path(), apiVersion, "unexpected GroupVersion string: " + apiVersion);
            return;
        }
        if (parts.length == 2 && !parts[0].isEmpty()) {
            all(subject, "", parts[0], Formats.dnsSubdomain(parts[0]));
        }
        if (version.isEmpty()) {
            subject.problems().invalid(subject.path(), apiVersion, "version must be specified");
        } else {
            all(subject, "", version, Formats.dns1035Label(version));
        }
    }

    private static void all(Subject subject, String before, String value, List<String> wrong) {
        if (!wrong.isEmpty()) {
            subject.problems().invalid(subject.path(), value, before + String.join(",", wrong));
        }
    }
}
