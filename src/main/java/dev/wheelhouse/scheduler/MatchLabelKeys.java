package dev.wheelhouse.scheduler;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1LabelSelectorRequirement;

import dev.wheelhouse.api.LabelSelector;

/** Compiles label selectors that take values from the pod's own labels ({@code matchLabelKeys}). */
final class MatchLabelKeys {
    private MatchLabelKeys() {}

    /** @throws IllegalArgumentException if the selector is invalid */
    static LabelSelector of(@Nullable V1LabelSelector selector, @Nullable List<String> matchKeys,
            @Nullable List<String> mismatchKeys, Map<String, String> podLabels) {
        boolean plain = (matchKeys == null || matchKeys.isEmpty()) && (mismatchKeys == null || mismatchKeys.isEmpty());
        if (selector == null || plain) {
            return LabelSelector.of(selector);
        }
        List<V1LabelSelectorRequirement> expressions = new ArrayList<>();
        if (selector.getMatchExpressions() != null) {
            expressions.addAll(selector.getMatchExpressions());
        }
        add(expressions, matchKeys, "In", podLabels);
        add(expressions, mismatchKeys, "NotIn", podLabels);
        return LabelSelector
                .of(new V1LabelSelector().matchLabels(selector.getMatchLabels()).matchExpressions(expressions));
    }

    private static void add(List<V1LabelSelectorRequirement> expressions, @Nullable List<String> keys, String operator,
            Map<String, String> podLabels) {
        if (keys == null) {
            return;
        }
        for (String key : keys) {
            String value = podLabels.get(key);
            if (value != null) {
                expressions.add(new V1LabelSelectorRequirement().key(key).operator(operator).values(List.of(value)));
            }
        }
    }
}
