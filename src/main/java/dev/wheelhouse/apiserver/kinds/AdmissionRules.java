package dev.wheelhouse.apiserver.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
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

    static void groupVersion(Subject subject) {
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

    /** Resources that others with a star include already. */
    static void ruleResources(Subject list) {
        Set<String> stars = new HashSet<>();
        Problems problems = list.problems();
        boolean[] isLastPlain = {false};
        Problems.each(list.value(), list.path(), (node, at) -> {
            String resource = node.asString("");
            int slash = resource.indexOf('/');
            if (slash < 0) {
                isLastPlain[0] = resource.isEmpty() ? isLastPlain[0] : !resource.equals("*");
                return;
            }
            String name = resource.substring(0, slash);
            String part = resource.substring(slash + 1);
            for (String star : List.of(name + "/*", "*/" + part)) {
                if (stars.contains(star)) {
                    problems.invalid(at, resource, "if '" + star + "' is present, must not specify " + resource);
                }
            }
            if (part.equals("*") || name.equals("*")) {
                stars.add(resource);
            }
        });
        List<String> all = Json.texts(list.value());
        if (all.size() > 1 && all.contains("*/*")) {
            problems.invalid(list.path(), list.value(), "if '*/*' is present, must not specify other resources");
        }
        if (all.contains("*") && isLastPlain[0]) {
            problems.invalid(list.path(), list.value(),
                    "if '*' is present, must not specify other resources without subresources");
        }
    }
}
