package dev.wheelhouse.scheduler;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Affinity;
import io.kubernetes.client.openapi.models.V1PodAffinity;
import io.kubernetes.client.openapi.models.V1PodAffinityTerm;
import io.kubernetes.client.openapi.models.V1PodAntiAffinity;
import io.kubernetes.client.openapi.models.V1WeightedPodAffinityTerm;

import dev.wheelhouse.api.LabelSelector;

import static dev.wheelhouse.api.Absent.orEmpty;
import static dev.wheelhouse.api.Absent.orZero;

/**
 * The pod affinity and anti-affinity terms of a pod, compiled. Terms compare by value, so that pods of one template
 * share one count.
 *
 * @param required terms of pods that must be near
 * @param requiredAnti terms of pods that must not be near
 * @param preferred terms of pods that should be near, by weight; the weight of anti-affinity terms is negative
 */
record AffinityTerms(List<Term> required, List<Term> requiredAnti, List<Weighted> preferred) {
    static final AffinityTerms NONE = new AffinityTerms(List.of(), List.of(), List.of());

    /** A set of pods, and the topology key: nodes with the same value of this label count as near. */
    record Term(Set<String> namespaces, LabelSelector namespaceSelector, LabelSelector selector, String topologyKey) {
        boolean matches(PodGroup pod, NamespaceLabels namespaceLabels) {
            return (namespaces.contains(pod.namespace())
                    || namespaceSelector.matches(namespaceLabels.of(pod.namespace())))
                    && selector.matches(pod.labels());
        }
    }

    record Weighted(Term term, int weight) {}

    boolean isEmpty() {
        return required.isEmpty() && requiredAnti.isEmpty() && preferred.isEmpty();
    }

    /** @throws IllegalArgumentException if a selector is invalid */
    static AffinityTerms of(@Nullable V1Affinity affinity, String namespace, Map<String, String> labels) {
        V1PodAffinity near = affinity == null ? null : affinity.getPodAffinity();
        V1PodAntiAffinity far = affinity == null ? null : affinity.getPodAntiAffinity();
        if (near == null && far == null) {
            return NONE;
        }
        List<Term> required = new ArrayList<>();
        List<Term> requiredAnti = new ArrayList<>();
        List<Weighted> preferred = new ArrayList<>();
        if (near != null) {
            addAll(required, near.getRequiredDuringSchedulingIgnoredDuringExecution(), namespace, labels);
            addAll(preferred, near.getPreferredDuringSchedulingIgnoredDuringExecution(), 1, namespace, labels);
        }
        if (far != null) {
            addAll(requiredAnti, far.getRequiredDuringSchedulingIgnoredDuringExecution(), namespace, labels);
            addAll(preferred, far.getPreferredDuringSchedulingIgnoredDuringExecution(), -1, namespace, labels);
        }
        return new AffinityTerms(required, requiredAnti, preferred);
    }

    private static void addAll(List<Term> to, @Nullable List<V1PodAffinityTerm> terms, String namespace,
            Map<String, String> labels) {
        orEmpty(terms).forEach(term -> to.add(term(term, namespace, labels)));
    }

    private static void addAll(List<Weighted> to, @Nullable List<V1WeightedPodAffinityTerm> terms, int sign,
            String namespace, Map<String, String> labels) {
        orEmpty(terms).forEach(t -> to.add(
                new Weighted(term(t.getPodAffinityTerm(), namespace, labels), sign * orZero(t.getWeight()))));
    }

    private static Term term(V1PodAffinityTerm term, String namespace, Map<String, String> labels) {
        Set<String> namespaces = term.getNamespaces() == null ? new HashSet<>() : new HashSet<>(term.getNamespaces());
        if (namespaces.isEmpty() && term.getNamespaceSelector() == null) {
            namespaces.add(namespace);
        }
        return new Term(namespaces, LabelSelector.of(term.getNamespaceSelector()),
                MatchLabelKeys.of(term.getLabelSelector(), term.getMatchLabelKeys(), term.getMismatchLabelKeys(),
                        labels),
                term.getTopologyKey() == null ? "" : term.getTopologyKey());
    }
}
