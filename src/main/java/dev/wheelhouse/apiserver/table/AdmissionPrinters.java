package dev.wheelhouse.apiserver.table;

import java.util.List;
import java.util.Map;

/** Group {@code admissionregistration.k8s.io}. */
final class AdmissionPrinters {
    private static final String GROUP = "admissionregistration.k8s.io/";

    private AdmissionPrinters() {}

    static void addTo(Map<String, List<Column>> all) {
        List<Column> webhooks = List.of(Column.objectName(),
                Column.integer("Webhooks", "How many webhooks the configuration has.", o -> o.size("webhooks")),
                Column.age());
        all.put(GROUP + "MutatingWebhookConfiguration", webhooks);
        all.put(GROUP + "ValidatingWebhookConfiguration", webhooks);
        all.put(GROUP + "ValidatingAdmissionPolicy",
                policy(Column.integer("Validations", "How many rules the policy checks.",
                        o -> o.size("spec", "validations"))));
        all.put(GROUP + "MutatingAdmissionPolicy",
                policy(Column.integer("Mutations", "How many changes the policy makes.",
                        o -> o.size("spec", "mutations"))));
        List<Column> binding = List.of(Column.objectName(),
                Column.of("PolicyName", "Policy that is bound.", o -> o.text("spec", "policyName")),
                Column.of("ParamRef", "Object with the policy's parameters.", AdmissionPrinters::parameters),
                Column.age());
        all.put(GROUP + "ValidatingAdmissionPolicyBinding", binding);
        all.put(GROUP + "MutatingAdmissionPolicyBinding", binding);
    }

    private static List<Column> policy(Column rules) {
        return List.of(Column.objectName(), rules,
                Column.of("ParamKind", "Kind of the policy's parameters.",
                        o -> o.has("spec", "paramKind")
                                ? o.text("spec", "paramKind", "apiVersion") + "/" + o.text("spec", "paramKind", "kind")
                                : Item.UNSET),
                Column.age());
    }

    private static String parameters(Item binding) {
        Item reference = binding.part("spec", "paramRef");
        if (!reference.text("name").isEmpty()) {
            return reference.textOr("*", "namespace") + "/" + reference.text("name");
        }
        return reference.has("selector") ? Selectors.format(reference, "selector") : Item.UNSET;
    }
}
