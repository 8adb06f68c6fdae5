package dev.wheelhouse.scheduler;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.scheduler.AffinityTerms.Term;
import dev.wheelhouse.scheduler.AffinityTerms.Weighted;

/**
 * The rules of one pod about the pods near it, and of the others about it, looked up for all nodes at once (upstream:
 * {@code plugins/interpodaffinity}).
 */
final class PodAffinityRules {
    /** What a required rule of a placed pod adds to the score of a node near it ({@code hardPodAffinityWeight}). */
    private static final int REQUIRED_WEIGHT = 1;

    private final AffinityTerms terms;
    private final boolean matchesItself;
    private final Set<Place> near = new HashSet<>();
    private final Set<Place> far = new HashSet<>();
    private final Set<Place> refusedByOthers = new HashSet<>();
    private final Map<Place, Long> weights = new HashMap<>();

    /** A value of a node label: a zone, a host. */
    private record Place(String key, String value) {}

    PodAffinityRules(SchedulingView view) {
        PodInfo pod = view.pod();
        terms = pod.affinity();
        matchesItself = matchesAll(pod.group(), view.namespaceLabels());
        for (NodeInfo node : view.nodes()) {
            node.affinities().forEach((others, count) -> hear(others, count, node, pod, view.namespaceLabels()));
            if (!terms.isEmpty()) {
                node.groups().forEach((group, count) -> look(group, count, node, view.namespaceLabels()));
            }
        }
    }

    /** What the pods of a node say about this one. */
    private void hear(AffinityTerms others, int count, NodeInfo node, PodInfo pod, NamespaceLabels namespaceLabels) {
        for (Term term : others.requiredAnti()) {
            Place place = place(term, node);
            if (place != null && term.matches(pod.group(), namespaceLabels)) {
                refusedByOthers.add(place);
            }
        }
        for (Term term : others.required()) {
            weigh(term, REQUIRED_WEIGHT * count, pod.group(), node, namespaceLabels);
        }
        for (Weighted preferred : others.preferred()) {
            weigh(preferred.term(), preferred.weight() * count, pod.group(), node, namespaceLabels);
        }
    }

    /** What this pod says about those of a node. */
    private void look(PodGroup group, int count, NodeInfo node, NamespaceLabels namespaceLabels) {
        if (!terms.required().isEmpty() && matchesAll(group, namespaceLabels)) {
            terms.required().forEach(term -> add(near, place(term, node)));
        }
        for (Term term : terms.requiredAnti()) {
            if (term.matches(group, namespaceLabels)) {
                add(far, place(term, node));
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
        Place place = place(term, node);
        if (weight != 0 && place != null && term.matches(group, namespaceLabels)) {
            weights.merge(place, (long) weight, Long::sum);
        }
    }

    private static @Nullable Place place(Term term, NodeInfo node) {
        String value = node.labels().get(term.topologyKey());
        return value == null ? null : new Place(term.topologyKey(), value);
    }

    private static void add(Set<Place> places, @Nullable Place place) {
        if (place != null) {
            places.add(place);
        }
    }

    @Nullable
    Refusal check(NodeInfo node) {
        boolean allNear = true;
        for (Term term : terms.required()) {
            Place place = place(term, node);
            if (place == null) {
                return notNear();
            }
            allNear &= near.contains(place);
        }
        // The first of a series that wants to be near its own kind may go anywhere.
        if (!allNear && !(near.isEmpty() && matchesItself)) {
            return notNear();
        }
        for (Term term : terms.requiredAnti()) {
            Place place = place(term, node);
            if (place != null && far.contains(place)) {
                return Refusal.resolvable(Filter.POD_AFFINITY, "node(s) didn't match pod anti-affinity rules");
            }
        }
        for (Place place : refusedByOthers) {
            if (place.value.equals(node.labels().get(place.key))) {
                return Refusal.resolvable(Filter.POD_AFFINITY,
                        "node(s) didn't satisfy existing pods anti-affinity rules");
            }
        }
        return null;
    }

    private static Refusal notNear() {
        return Refusal.of(Filter.POD_AFFINITY, "node(s) didn't match pod affinity rules");
    }

    /** The sum of the weights that speak for a node; negative if they speak against it. */
    long weight(NodeInfo node) {
        long sum = 0;
        for (Map.Entry<Place, Long> entry : weights.entrySet()) {
            if (entry.getKey().value.equals(node.labels().get(entry.getKey().key))) {
                sum += entry.getValue();
            }
        }
        return sum;
    }
}
