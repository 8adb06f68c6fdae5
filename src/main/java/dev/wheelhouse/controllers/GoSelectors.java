package dev.wheelhouse.controllers;

import java.util.TreeMap;

import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1LabelSelectorRequirement;

import static dev.wheelhouse.api.Absent.orEmpty;

/** Prints selectors as Go does, for messages that are upstream's. */
public final class GoSelectors {
    private GoSelectors() {}

    /** The text of a selector, with its labels in order. */
    public static String text(V1LabelSelector selector) {
        StringBuilder text = new StringBuilder("&LabelSelector{MatchLabels:map[string]string{");
        new TreeMap<>(orEmpty(selector.getMatchLabels()))
                .forEach((key, value) -> text.append(key).append(": ").append(value).append(','));
        text.append("},MatchExpressions:[]LabelSelectorRequirement{");
        for (V1LabelSelectorRequirement term : orEmpty(selector.getMatchExpressions())) {
            text.append("LabelSelectorRequirement{Key:").append(term.getKey()).append(",Operator:")
                    .append(term.getOperator()).append(",Values:[").append(String.join(" ", orEmpty(term.getValues())))
                    .append("],},");
        }
        return text.append("},}").toString();
    }
}
