package dev.wheelhouse.apiserver.kinds;

import java.util.Set;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Selectors;

/**
 * Bindings of mutating admission policies, and the base of the strategy of bindings of validating ones (upstream:
 * {@code pkg/registry/admissionregistration/mutatingadmissionpolicybinding}).
 */
class MutatingAdmissionPolicyBindingStrategy extends Strategy {
    private final boolean isMutating;

    MutatingAdmissionPolicyBindingStrategy() {
        this("MutatingAdmissionPolicyBinding");
    }

    MutatingAdmissionPolicyBindingStrategy(String kind) {
        super(AdmissionRules.GROUP, kind, Set.of(Trait.UPDATED_BY_VERSION), TableColumn.objectName(),
                TableColumn.of("PolicyName", "Policy that is bound.", o -> o.text("spec", "policyName")),
                TableColumn.of("ParamRef", "Object with the policy's parameters.",
                        MutatingAdmissionPolicyBindingStrategy::parameters),
                TableColumn.age());
        this.isMutating = kind.startsWith("Mutating");
    }

    private static String parameters(Item binding) {
        Item reference = binding.part("spec", "paramRef");
        if (!reference.text("name").isEmpty()) {
            return reference.textOr("*", "namespace") + "/" + reference.text("name");
        }
        return reference.has("selector") ? reference.selector("selector") : Item.UNSET;
    }

    @Override
    protected void validate(ObjectNode binding, Problems problems) {
        JsonNode spec = binding.path("spec");
        problems.formed("spec.policyName", Json.text(spec, "policyName"), Formats::dnsSubdomain);
        JsonNode reference = spec.get("paramRef");
        if (reference != null) {
            parameter(reference, problems);
        }
        if (spec.has("matchResources")) {
            AdmissionRules.match(spec.path("matchResources"), "spec.matchResources", problems);
            if (isMutating) {
                AdmissionRules.noDeletions(spec, "matchResources", problems);
            }
        }
    }

    private static void parameter(JsonNode reference, Problems problems) {
        String name = Json.text(reference, "name");
        JsonNode selector = reference.get("selector");
        if (!name.isEmpty()) {
            problems.invalid("spec.paramRef.name", name, Formats.pathSegment(name));
            if (selector != null) {
                problems.forbidden("spec.paramRef.name", "name and selector are mutually exclusive");
            }
        }
        Selectors.validate(selector, "spec.paramRef.selector", problems);
        if (selector != null && !name.isEmpty()) {
            problems.forbidden("spec.paramRef.selector", "name and selector are mutually exclusive");
        }
        if (selector == null && name.isEmpty()) {
            problems.required("spec.paramRef", "one of name or selector must be specified");
        }
        problems.oneOf("spec.paramRef.parameterNotFoundAction", Json.text(reference, "parameterNotFoundAction"),
                "Deny",
                "Allow");
    }
}
