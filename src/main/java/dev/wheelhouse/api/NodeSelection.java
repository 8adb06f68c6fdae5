package dev.wheelhouse.api;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1NodeAffinity;
import io.kubernetes.client.openapi.models.V1NodeSelector;
import io.kubernetes.client.openapi.models.V1NodeSelectorRequirement;
import io.kubernetes.client.openapi.models.V1NodeSelectorTerm;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PreferredSchedulingTerm;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * The nodes that a pod requires and prefers, by node labels and node name (upstream: {@code plugins/nodeaffinity}).
 *
 * @param nodeSelector the labels that the node must have
 * @param required node selector terms of which one must match; null if the pod has none
 * @param preferred terms that raise a node's score, each with its weight
 */
public record NodeSelection(Map<String, String> nodeSelector, @Nullable List<V1NodeSelectorTerm> required,
        List<V1PreferredSchedulingTerm> preferred) {

    private static final String NAME_FIELD = "metadata.name";

    /** The node selector and the node affinity of a pod. */
    public static NodeSelection of(V1PodSpec spec) {
        V1NodeAffinity affinity = spec.getAffinity() == null ? null : spec.getAffinity().getNodeAffinity();
        V1NodeSelector required = affinity == null
                ? null
                : affinity.getRequiredDuringSchedulingIgnoredDuringExecution();
        List<V1PreferredSchedulingTerm> preferred = affinity == null
                ? null
                : affinity.getPreferredDuringSchedulingIgnoredDuringExecution();
        return new NodeSelection(orEmpty(spec.getNodeSelector()),
                required == null ? null : orEmpty(required.getNodeSelectorTerms()), orEmpty(preferred));
    }

    /** Whether a node meets the requirements. */
    public boolean matches(String name, Map<String, String> labels) {
        for (Map.Entry<String, String> wanted : nodeSelector.entrySet()) {
            if (!wanted.getValue().equals(labels.get(wanted.getKey()))) {
                return false;
            }
        }
        return required == null || required.stream().anyMatch(term -> matches(term, name, labels));
    }

    /** The sum of the weights of the preferred terms that match a node. */
    public long preference(String name, Map<String, String> labels) {
        long sum = 0;
        for (V1PreferredSchedulingTerm term : preferred) {
            if (term.getWeight() != null && term.getPreference() != null
                    && matches(term.getPreference(), name, labels)) {
                sum += term.getWeight();
            }
        }
        return sum;
    }

    /**
     * The names of the only nodes that the required terms allow by {@code metadata.name}. Null if a term allows nodes
     * of any name; empty if the terms contradict themselves.
     */
    public @Nullable Set<String> namedNodes() {
        if (required == null || required.isEmpty()) {
            return null;
        }
        Set<String> names = new HashSet<>();
        for (V1NodeSelectorTerm term : required) {
            Set<String> ofTerm = null;
            for (V1NodeSelectorRequirement field : orEmpty(term.getMatchFields())) {
                if (NAME_FIELD.equals(field.getKey()) && "In".equals(field.getOperator())) {
                    Set<String> values = new HashSet<>(orEmpty(field.getValues()));
                    if (ofTerm == null) {
                        ofTerm = values;
                    } else {
                        ofTerm.retainAll(values);
                    }
                }
            }
            if (ofTerm == null) {
                return null;
            }
            names.addAll(ofTerm);
        }
        return names;
    }

    private static boolean matches(V1NodeSelectorTerm term, String name, Map<String, String> labels) {
        List<V1NodeSelectorRequirement> expressions = orEmpty(term.getMatchExpressions());
        List<V1NodeSelectorRequirement> fields = orEmpty(term.getMatchFields());
        if (expressions.isEmpty() && fields.isEmpty()) {
            return false;
        }
        return expressions.stream().allMatch(r -> matches(r, labels.get(r.getKey())))
                && fields.stream().allMatch(r -> matches(r, NAME_FIELD.equals(r.getKey()) ? name : null));
    }

    private static boolean matches(V1NodeSelectorRequirement requirement, @Nullable String value) {
        List<String> values = orEmpty(requirement.getValues());
        return switch (String.valueOf(requirement.getOperator())) {
            case "In" -> value != null && values.contains(value);
            case "NotIn" -> value == null || !values.contains(value);
            case "Exists" -> value != null;
            case "DoesNotExist" -> value == null;
            case "Gt" -> compare(value, values) > 0;
            case "Lt" -> compare(value, values) < 0;
            default -> false;
        };
    }

    private static int compare(@Nullable String value, List<String> values) {
        return values.size() == 1 ? LabelSelector.compare(value, values.getFirst()) : 0;
    }
}
