package dev.wheelhouse.scheduler;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;

import org.jspecify.annotations.Nullable;

/**
 * The topology spread constraints of one pod, counted over all nodes at once (upstream:
 * {@code plugins/podtopologyspread}). A pod without constraints gets soft ones: spread over hosts and zones among the
 * pods of the same controller.
 */
final class SpreadRules {
    private static final String HOST = "kubernetes.io/hostname";
    private static final String ZONE = "topology.kubernetes.io/zone";

    private final SchedulingView view;
    private final List<Counted> hard = new ArrayList<>();

    /**
     * A hard constraint, with the number of pods by label value, the smallest of these numbers, and 1 if the pod itself
     * counts.
     */
    private record Counted(SpreadConstraint constraint, Map<String, Integer> byValue, int least, int self) {}

    SpreadRules(SchedulingView view) {
        this.view = view;
        List<SpreadConstraint> constraints = view.pod().spread().stream().filter(SpreadConstraint::hard).toList();
        for (SpreadConstraint constraint : constraints) {
            Map<String, Integer> byValue = new HashMap<>();
            for (NodeInfo node : view.nodes()) {
                if (hasAllKeys(node, constraints) && constraint.counts(view.pod(), node)) {
                    byValue.merge(node.labels().get(constraint.topologyKey()),
                            constraint.count(view.pod().group().namespace(), node), Integer::sum);
                }
            }
            int least = byValue.size() < constraint.minDomains()
                    ? 0
                    : byValue.values().stream().mapToInt(Integer::intValue).min().orElse(Integer.MAX_VALUE);
            int self = constraint.selector().matches(view.pod().group().labels()) ? 1 : 0;
            hard.add(new Counted(constraint, byValue, least, self));
        }
    }

    private static boolean hasAllKeys(NodeInfo node, List<SpreadConstraint> constraints) {
        return constraints.stream().allMatch(c -> node.labels().containsKey(c.topologyKey()));
    }

    @Nullable
    FilterFailure check(NodeInfo node) {
        for (Counted counted : hard) {
            String value = node.labels().get(counted.constraint.topologyKey());
            if (value == null) {
                return FilterFailure.of(Filter.SPREAD,
                        "node(s) didn't match pod topology spread constraints (missing required label)");
            }
            long skew = (long) counted.byValue.getOrDefault(value, 0) + counted.self - counted.least;
            if (skew > counted.constraint.maxSkew()) {
                return FilterFailure.resolvable(Filter.SPREAD, "node(s) didn't match pod topology spread constraints");
            }
        }
        return null;
    }

    /** A soft constraint, with the function that counts a node's pods. */
    private record Soft(String topologyKey, int maxSkew, ToIntFunction<NodeInfo> count) {}

    /** Scores from 0 to 100 for the nodes that fit; empty if there is no soft constraint. */
    Map<NodeInfo, Long> scores(Collection<NodeInfo> feasible) {
        boolean own = !view.pod().spread().isEmpty();
        List<Soft> rules = own ? declared() : byOwner();
        if (rules.isEmpty()) {
            return Map.of();
        }
        Set<NodeInfo> ignored = new HashSet<>();
        for (NodeInfo node : feasible) {
            if (own && rules.stream().anyMatch(rule -> !node.labels().containsKey(rule.topologyKey))) {
                ignored.add(node);
            }
        }
        Map<NodeInfo, Double> sums = new HashMap<>();
        for (Soft rule : rules) {
            add(sums, rule, feasible.stream().filter(n -> !ignored.contains(n)).toList());
        }
        return normalized(feasible, ignored, sums);
    }

    private List<Soft> declared() {
        List<Soft> rules = new ArrayList<>();
        for (SpreadConstraint c : view.pod().spread()) {
            if (!c.hard()) {
                rules.add(new Soft(c.topologyKey(), c.maxSkew(),
                        node -> c.counts(view.pod(), node) ? c.count(view.pod().group().namespace(), node) : 0));
            }
        }
        return rules;
    }

    private List<Soft> byOwner() {
        String owner = view.pod().owner();
        return owner.isEmpty()
                ? List.of()
                : List.of(new Soft(HOST, 3, n -> n.podsOf(owner)), new Soft(ZONE, 5, n -> n.podsOf(owner)));
    }

    private void add(Map<NodeInfo, Double> sums, Soft rule, List<NodeInfo> nodes) {
        Map<String, Integer> byValue = new HashMap<>();
        Set<String> values = new HashSet<>();
        nodes.forEach(node -> addIfPresent(values, node.labels().get(rule.topologyKey)));
        for (NodeInfo node : view.nodes()) {
            String value = node.labels().get(rule.topologyKey);
            if (value != null && values.contains(value)) {
                byValue.merge(value, rule.count.applyAsInt(node), Integer::sum);
            }
        }
        // With many values each count is small, so it gets a larger weight.
        double weight = Math.log(values.size() + 2.0);
        for (NodeInfo node : nodes) {
            String value = node.labels().get(rule.topologyKey);
            if (value != null) {
                sums.merge(node, byValue.getOrDefault(value, 0) * weight + rule.maxSkew - 1, Double::sum);
            }
        }
    }

    private static void addIfPresent(Set<String> values, @Nullable String value) {
        if (value != null) {
            values.add(value);
        }
    }

    private static Map<NodeInfo, Long> normalized(Collection<NodeInfo> feasible, Set<NodeInfo> ignored,
            Map<NodeInfo, Double> sums) {
        long least = Long.MAX_VALUE;
        long most = 0;
        for (NodeInfo node : feasible) {
            if (!ignored.contains(node)) {
                long sum = Math.round(sums.getOrDefault(node, 0.0));
                least = Math.min(least, sum);
                most = Math.max(most, sum);
            }
        }
        Map<NodeInfo, Long> scores = new HashMap<>();
        for (NodeInfo node : feasible) {
            if (ignored.contains(node)) {
                scores.put(node, 0L);
            } else {
                long sum = Math.round(sums.getOrDefault(node, 0.0));
                scores.put(node, most == 0 ? 100 : 100 * (most + least - sum) / most);
            }
        }
        return scores;
    }
}
