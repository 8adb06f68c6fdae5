package dev.wheelhouse.scheduler;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The topology spread constraints of one pod, counted over all nodes at once (upstream:
 * {@code plugins/podtopologyspread}). A pod without constraints gets soft ones: spread over hosts and zones among the
 * pods of the same controller.
 */
final class SpreadRules {
    private final SchedulingView view;
    /** Whether the pod declares constraints itself. */
    private final boolean own;
    private final List<SpreadConstraint> soft;
    private final List<Counted> hard = new ArrayList<>();

    /**
     * A hard constraint, with the number of pods by label value, the smallest of these numbers, and 1 if the pod itself
     * counts.
     */
    private record Counted(SpreadConstraint constraint, Map<String, Integer> byValue, int least, int self) {}

    SpreadRules(SchedulingView view) {
        this.view = view;
        own = !view.pod().spread().isEmpty();
        List<SpreadConstraint> all = own
                ? view.pod().spread()
                : view.pod().owner().isEmpty() ? List.of() : view.profile().args().constraints();
        soft = all.stream().filter(each -> !each.hard()).toList();
        List<SpreadConstraint> constraints = all.stream().filter(SpreadConstraint::hard).toList();
        for (SpreadConstraint constraint : constraints) {
            Map<String, Integer> byValue = new HashMap<>();
            for (NodeInfo node : view.nodes()) {
                if (hasAllKeys(node, constraints) && constraint.counts(view.pod(), node)) {
                    byValue.merge(node.labels().get(constraint.topologyKey()), count(constraint, node), Integer::sum);
                }
            }
            int least = byValue.size() < constraint.minDomains()
                    ? 0
                    : byValue.values().stream().mapToInt(Integer::intValue).min().orElse(Integer.MAX_VALUE);
            int self = !own || constraint.selector().matches(view.pod().group().labels()) ? 1 : 0;
            hard.add(new Counted(constraint, byValue, least, self));
        }
    }

    /** Whether it lets the pod go to every node, whichever pods leave. */
    boolean isIdle() {
        return hard.isEmpty();
    }

    /** The number of a node's pods that are counted: for a constraint of the profile, those of the same controller. */
    private int count(SpreadConstraint constraint, NodeInfo node) {
        return own ? constraint.count(view.pod().group().namespace(), node) : node.podsOf(view.pod().owner());
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

    /** Scores from 0 to 100 for the nodes that fit; empty if there is no soft constraint. */
    Map<NodeInfo, Long> scores(Collection<NodeInfo> feasible) {
        if (soft.isEmpty()) {
            return Map.of();
        }
        // Nodes without zones still count for the constraints that every profile has.
        boolean needsAllKeys = own || !view.profile().args().systemConstraints();
        Set<NodeInfo> ignored = new HashSet<>();
        for (NodeInfo node : feasible) {
            if (needsAllKeys && !hasAllKeys(node, soft)) {
                ignored.add(node);
            }
        }
        Map<NodeInfo, Double> sums = new HashMap<>();
        for (SpreadConstraint constraint : soft) {
            add(sums, constraint, feasible.stream().filter(n -> !ignored.contains(n)).toList(), needsAllKeys);
        }
        return normalized(feasible, ignored, sums);
    }

    private void add(Map<NodeInfo, Double> sums, SpreadConstraint rule, List<NodeInfo> nodes,
            boolean needsAllKeys) {
        Map<String, Integer> byValue = new HashMap<>();
        Set<String> values = new HashSet<>();
        nodes.forEach(node -> addIfPresent(values, node.labels().get(rule.topologyKey())));
        for (NodeInfo node : view.nodes()) {
            String value = node.labels().get(rule.topologyKey());
            if (value != null && values.contains(value) && (!needsAllKeys || hasAllKeys(node, soft))
                    && rule.counts(view.pod(), node)) {
                byValue.merge(value, count(rule, node), Integer::sum);
            }
        }
        // With many values each count is small, so it gets a larger weight.
        double weight = Math.log(values.size() + 2.0);
        for (NodeInfo node : nodes) {
            String value = node.labels().get(rule.topologyKey());
            if (value != null) {
                sums.merge(node, byValue.getOrDefault(value, 0) * weight + rule.maxSkew() - 1, Double::sum);
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
