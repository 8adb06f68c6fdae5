package dev.wheelhouse.scheduler;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * Decides on a node for a pod: filters the nodes, then scores those that remain. A pure function that never throws. The
 * messages are upstream's ({@code framework.FitError}, {@code schedule_one.go}).
 */
final class Placement {
    private Placement() {}

    static ScheduleResult decide(SchedulingView view) {
        List<NodeInfo> nodes = view.nodes().stream().filter(NodeInfo::isKnown).toList();
        if (nodes.isEmpty()) {
            return new ScheduleResult.Unschedulable("no nodes available to schedule pods", Filter.NODES);
        }
        PodInfo pod = view.pod();
        if (!pod.problem().isEmpty()) {
            return unschedulable(nodes.size(), pod.problem(), Filter.POD_AFFINITY);
        }
        Set<String> named = pod.selection().namedNodes();
        if (named != null && named.isEmpty()) {
            return unschedulable(nodes.size(), "pod affinity terms conflict", Filter.NODE_AFFINITY);
        }
        if (!view.volumes().problem().isEmpty()) {
            return unschedulable(nodes.size(), view.volumes().problem(), Filter.CLAIMS);
        }
        Rules rules = Rules.of(view.withNodes(nodes));
        for (NodeInfo node : nodes) {
            if (node.name().equals(view.nominated()) && rules.check(node) == null) {
                return best(rules, List.of(node));
            }
        }
        List<NodeInfo> feasible = new ArrayList<>();
        Diagnosis diagnosis = new Diagnosis(rules);
        for (NodeInfo node : nodes) {
            FilterFailure failure = rules.check(node);
            if (failure == null) {
                feasible.add(node);
            } else {
                diagnosis.add(node, failure);
            }
        }
        return feasible.isEmpty() ? diagnosis.unschedulable() : best(rules, feasible);
    }

    private static ScheduleResult unschedulable(int nodes, String reason, Filter filter) {
        return new ScheduleResult.Unschedulable(
                "0/" + nodes + " nodes are available: " + reason + ". preemption: 0/" + nodes
                        + " nodes are available: " + nodes + " Preemption is not helpful for scheduling.",
                filter);
    }

    /** All filters of one pod. */
    record Rules(SchedulingView view, VolumeFilter volumes, PodAffinityRules affinity, SpreadRules spread) {
        static Rules of(SchedulingView view) {
            return new Rules(view, new VolumeFilter(view.volumes(), view.claimsInUse()), new PodAffinityRules(view),
                    new SpreadRules(view));
        }

        /** The filters after pods have left nodes or come back. */
        Rules anew() {
            return affinity.isIdle() && view.pod().spread().isEmpty() ? this : of(view);
        }

        /** Null if the pod fits on the node. */
        @Nullable
        FilterFailure check(NodeInfo node) {
            PodInfo pod = view.pod();
            Set<String> named = pod.selection().namedNodes();
            if (named != null && !named.contains(node.name())) {
                return FilterFailure.of(Filter.NODE_AFFINITY, "node(s) didn't satisfy plugin(s) [NodeAffinity]");
            }
            if (node.unschedulable() && !Taints.tolerateUnschedulable(pod.tolerations())) {
                return FilterFailure.of(Filter.NODE_UNSCHEDULABLE, "node(s) were unschedulable");
            }
            if (Taints.forbid(node.taints(), pod.tolerations())) {
                return FilterFailure.of(Filter.TAINTS, "node(s) had untolerated taint(s)");
            }
            if (!pod.selection().matches(node.name(), node.labels())) {
                return FilterFailure.of(Filter.NODE_AFFINITY, "node(s) didn't match Pod's node affinity/selector");
            }
            if (pod.ports().stream().anyMatch(port -> port.conflicts(node.ports()))) {
                return FilterFailure.resolvable(Filter.PORTS,
                        "node(s) didn't have free ports for the requested pod ports");
            }
            FilterFailure resources = fits(pod.requests(), node);
            if (resources != null) {
                return resources;
            }
            FilterFailure unreachable = volumes.check(node);
            if (unreachable != null) {
                return unreachable;
            }
            FilterFailure uneven = spread.check(node);
            return uneven != null ? uneven : affinity.check(node);
        }
    }

    private static @Nullable FilterFailure fits(ResourceAmounts wanted, NodeInfo node) {
        List<String> reasons = new ArrayList<>(0);
        boolean everFits = true;
        ResourceAmounts offered = node.allocatable();
        if (node.pods() + 1 > node.allowedPods()) {
            reasons.add("Too many pods");
        }
        if (wanted.milliCpu() > 0 && wanted.milliCpu() > offered.milliCpu() - node.milliCpu()) {
            reasons.add("Insufficient cpu");
            everFits &= wanted.milliCpu() <= offered.milliCpu();
        }
        if (wanted.memory() > 0 && wanted.memory() > offered.memory() - node.memory()) {
            reasons.add("Insufficient memory");
            everFits &= wanted.memory() <= offered.memory();
        }
        if (wanted.ephemeralStorage() > 0
                && wanted.ephemeralStorage() > offered.ephemeralStorage() - node.ephemeralStorage()) {
            reasons.add("Insufficient ephemeral-storage");
            everFits &= wanted.ephemeralStorage() <= offered.ephemeralStorage();
        }
        for (Map.Entry<String, Long> more : wanted.other().entrySet()) {
            long amount = offered.other().getOrDefault(more.getKey(), 0L);
            if (more.getValue() > amount - node.other(more.getKey())) {
                reasons.add("Insufficient " + more.getKey());
                everFits &= more.getValue() <= amount;
            }
        }
        return reasons.isEmpty() ? null : new FilterFailure(Filter.RESOURCES, reasons, everFits);
    }

    private static ScheduleResult best(Rules rules, List<NodeInfo> feasible) {
        SchedulingView view = rules.view;
        long[] scores = Scores.of(view, feasible, rules.affinity, rules.spread);
        int best = 0;
        long bestTie = tie(view, feasible.get(0));
        for (int i = 1; i < scores.length; i++) {
            long tie = tie(view, feasible.get(i));
            if (scores[i] > scores[best] || (scores[i] == scores[best] && tie > bestTie)) {
                best = i;
                bestTie = tie;
            }
        }
        NodeInfo node = feasible.get(best);
        return new ScheduleResult.Bind(node.name(), scores[best], feasible.size(),
                Objects.requireNonNull(rules.volumes.choose(node)));
    }

    /** A pseudo-random number that depends on the seed, the pod and the node only. */
    private static long tie(SchedulingView view, NodeInfo node) {
        long mixed = view.seed() + 0x9E3779B97F4A7C15L * (31L * view.pod().key().hashCode() + node.name().hashCode());
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }

    /** Counts the reasons over the nodes, looks for pods that could go, and makes the message. */
    private static final class Diagnosis {
        private final Rules rules;
        private final int nodes;
        private final Map<String, Integer> reasons = new TreeMap<>();
        private final Set<Filter> filters = EnumSet.noneOf(Filter.class);
        private final List<NodeInfo> resolvable = new ArrayList<>();

        Diagnosis(Rules rules) {
            this.rules = rules;
            this.nodes = rules.view.nodes().size();
        }

        void add(NodeInfo node, FilterFailure failure) {
            failure.reasons().forEach(reason -> reasons.merge(reason, 1, Integer::sum));
            filters.add(failure.filter());
            if (failure.resolvable()) {
                resolvable.add(node);
            }
        }

        ScheduleResult unschedulable() {
            SchedulingView view = rules.view;
            String message = available(reasons);
            if (!view.pod().preempts()) {
                return new ScheduleResult.Unschedulable(
                        message + " preemption: not eligible due to preemptionPolicy=Never.", filters, null, List.of());
            }
            Preemption preemption = new Preemption(view.pod(), view.preemption());
            if (resolvable.stream().anyMatch(node -> node.name().equals(view.nominated())
                    && preemption.isUnderWay(node))) {
                return new ScheduleResult.Unschedulable(
                        message + " preemption: not eligible due to a terminating pod on the nominated node.", filters,
                        null, List.of());
            }
            Map<NodeInfo, List<String>> refused = new HashMap<>();
            Preemption.Candidate chosen = preemption.choose(resolvable, rules, refused);
            if (chosen != null) {
                return new ScheduleResult.Unschedulable(message, filters, chosen.node().name(), chosen.victims());
            }
            Map<String, Integer> counts = new TreeMap<>();
            refused.values().forEach(all -> all.forEach(reason -> counts.merge(reason, 1, Integer::sum)));
            if (nodes > resolvable.size()) {
                counts.put("Preemption is not helpful for scheduling", nodes - resolvable.size());
            }
            return new ScheduleResult.Unschedulable(message + " preemption: " + available(counts), filters, "",
                    List.of());
        }

        private String available(Map<String, Integer> counts) {
            List<String> texts = new ArrayList<>();
            counts.forEach((reason, count) -> texts.add(count + " " + reason));
            texts.sort(null);
            return "0/" + nodes + " nodes are available: " + String.join(", ", texts) + ".";
        }
    }
}
