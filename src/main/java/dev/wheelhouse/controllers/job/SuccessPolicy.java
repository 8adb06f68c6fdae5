package dev.wheelhouse.controllers.job;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1SuccessPolicy;
import io.kubernetes.client.openapi.models.V1SuccessPolicyRule;

/** Decides whether an Indexed Job has succeeded early (upstream: {@code pkg/controller/job/success_policy.go}). */
final class SuccessPolicy {
    private SuccessPolicy() {}

    /** The message about the first rule that the completed indexes satisfy; null if there is none. */
    static @Nullable String match(@Nullable V1SuccessPolicy policy, int completions, Indexes completed) {
        if (policy == null || policy.getRules() == null || completed.isEmpty()) {
            return null;
        }
        int at = 0;
        for (V1SuccessPolicyRule rule : policy.getRules()) {
            if (isMet(rule, completions, completed)) {
                return "Matched rules at index " + at;
            }
            at++;
        }
        return null;
    }

    private static boolean isMet(V1SuccessPolicyRule rule, int completions, Indexes completed) {
        Integer count = rule.getSucceededCount();
        if (rule.getSucceededIndexes() == null) {
            return count != null && completed.total() >= count;
        }
        Indexes wanted = Indexes.parse(rule.getSucceededIndexes(), completions);
        int common = wanted.common(completed);
        return !wanted.isEmpty() && (common == wanted.total() || (count != null && common >= count));
    }
}
