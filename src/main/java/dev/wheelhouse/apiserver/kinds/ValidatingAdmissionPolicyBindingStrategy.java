package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Map;

import dev.wheelhouse.apiserver.validation.Rules.Check;
import dev.wheelhouse.apiserver.validation.Subject;

/**
 * Bindings of validating admission policies (upstream:
 * {@code pkg/registry/admissionregistration/validatingadmissionpolicybinding}).
 */
final class ValidatingAdmissionPolicyBindingStrategy extends MutatingAdmissionPolicyBindingStrategy {
    ValidatingAdmissionPolicyBindingStrategy() {
        super("ValidatingAdmissionPolicyBinding");
    }

    @Override
    protected void addChecks(Map<String, Check> checks) {
        checks.put("denyOrWarn", ValidatingAdmissionPolicyBindingStrategy::denyOrWarn);
    }

    private static void denyOrWarn(Subject actions) {
        List<String> given = actions.value().valueStream().map(action -> action.asString("")).toList();
        if (given.contains("Deny") && given.contains("Warn")) {
            actions.problems().invalid(actions.path(), actions.value(),
                    "must not contain both Deny and Warn (repeating the same validation failure information in the API "
                            + "response and headers serves no purpose)");
        }
    }
}
