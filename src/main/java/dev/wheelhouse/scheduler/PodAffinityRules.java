package dev.wheelhouse.scheduler;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.scheduler.AffinityTerms.Term;
import dev.wheelhouse.scheduler.AffinityTerms.Weighted;

/**
 * The effect of pod affinity on one pod, computed for all nodes at once: the pod's own terms, and the terms of placed
 * pods that match the pod (upstream: {@code plugins/interpodaffinity}).
 */
final class PodAffinityRules {
    private final AffinityTerms terms;
    private final Profile.Affinity args;
    private final boolean scores;
    private final boolean matchesItself;
    private final Set<Domain> near = new HashSet<>();
    private final Set<Domain> far = new HashSet<>();
    private final Set<Domain> refusedByOthers = new HashSet<>();
    private final Map<Domain, Long> weights = new HashMap<>();

    /** A topology domain: the nodes with this value of a label, such as a zone. */
    private record Domain(String key, String value) {}

    PodAffinityRules(SchedulingView view) {
        PodInfo pod = view.pod();
        terms = pod.affinity();
        args = view.profile().args().affinity();
        scores = !args.ignorePreferredTermsOfExistingPods() || !terms.preferred().isEmpty();
        matchesItself = matchesAll(pod.group(), view.namespaceLabels());
        for (NodeInfo node : view.nodes()) {
            node.affinities()
                    .forEach((others, count) -> addTermsOfOthers(others, count, node, pod, view.namespaceLabels()));
            if (!terms.isEmpty()) {
                node.groups().forEach((group, count) -> addOwnTerms(group, count, node, view.namespaceLabels()));
            }
        }
    }

    /** Adds the terms of a node's pods that match this pod. */
    private void addTermsOfOthers(AffinityTerms others, int count, NodeInfo node, PodInfo pod,
            NamespaceLabels namespaceLabels) {
        for (Term term : others.requiredAnti()) {
            Domain domain = domain(term, node);
            if (domain != null && term.matches(pod.group(), namespaceLabels)) {
                refusedByOthers.add(domain);
            }
        }
        for (Term term : others.required()) {
            weigh(term, args.hardPodAffinityWeight() * count, pod.group(), node, namespaceLabels);
        }
        for (Weighted preferred : others.preferred()) {
            weigh(preferred.term(), preferred.weight() * count, pod.group(), node, namespaceLabels);
        }
    }

    /** Adds this pod's terms that match a node's pods. */
    private void addOwnTerms(PodGroup group, int count, NodeInfo node, NamespaceLabels namespaceLabels) {
        if (!terms.required().isEmpty() && matchesAll(group, namespaceLabels)) {
            terms.required().forEach(term -> add(near, domain(term, node)));
        }
        for (Term term : terms.requiredAnti()) {
            if (term.matches(group, namespaceLabels)) {
                add(far, domain(term, node));
            }
        }
        for (Weighted preferred : terms.preferred()) {
            weigh(preferred.term(), preferred.weight() * count, group, node, namespaceLabels);
        }
    }

    private boolean matchesAll(PodGroup group, NamespaceLabels namespaceLabels) {
        return terms.required().stream().allMatch(term -> term.matches(group, namespaceLabels));
    }

    private void weigh(Term term, int weight, PodGroup group, NodeInfo node, NamespaceLabels namespaceLabels) {
        Domain domain = domain(term, node);
        if (scores && weight != 0 && domain != null && term.matches(group, namespaceLabels)) {
            weights.merge(domain, (long) weight, Long::sum);
        }
    }

    private static @Nullable Domain domain(Term term, NodeInfo node) {
        String value = node.labels().get(term.topologyKey());
        return value == null ? null : new Domain(term.topologyKey(), value);
    }

    private static void add(Set<Domain> domains, @Nullable Domain domain) {
        if (domain != null) {
            domains.add(domain);
        }
    }

    /** Whether it lets the pod go to every node, whichever pods leave. */
    boolean isIdle() {
        return terms.required().isEmpty() && terms.requiredAnti().isEmpty() && refusedByOthers.isEmpty();
    }

    @Nullable
    FilterFailure check(NodeInfo node) {
        boolean allNear = true;
        for (Term term : terms.required()) {
            Domain domain = domain(term, node);
            if (domain == null) {
                return notNear();
            }
            allNear &= near.contains(domain);
        }
        // If no pod matches yet, the first pod of a group with affinity to itself may go to any node.
        if (!allNear && !(near.isEmpty() && matchesItself)) {
            return notNear();
        }
        for (Term term : terms.requiredAnti()) {
            Domain domain = domain(term, node);
            if (domain != null && far.contains(domain)) {
                return FilterFailure.resolvable(Filter.POD_AFFINITY, "node(s) didn't match pod anti-affinity rules");
            }
        }
        for (Domain domain : refusedByOthers) {
            if (domain.value.equals(node.labels().get(domain.key))) {
                return FilterFailure.resolvable(Filter.POD_AFFINITY,
                        "node(s) didn't satisfy existing pods anti-affinity rules");
            }
        }
        return null;
    }

    private static FilterFailure notNear() {
        return FilterFailure.of(Filter.POD_AFFINITY, "node(s) didn't match pod affinity rules");
    }

    /** The sum of the weights for a node; negative if anti-affinity outweighs affinity. */
    long weight(NodeInfo node) {
        long sum = 0;
        for (Map.Entry<Domain, Long> entry : weights.entrySet()) {
            if (entry.getKey().value.equals(node.labels().get(entry.getKey().key))) {
                sum += entry.getValue();
            }
        }
        return sum;
    }
}
