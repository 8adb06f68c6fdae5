package dev.wheelhouse.scheduler;

import java.util.ArrayList;
import java.util.EnumSet;
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
            return new ScheduleResult.Unschedulable("no nodes available to schedule pods", Set.of(Filter.NODES));
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
        SchedulingView known = new SchedulingView(pod, view.volumes(), view.claimsInUse(), nodes,
                view.namespaceLabels(), view.seed());
        VolumeFilter volumes = new VolumeFilter(view.volumes(), view.claimsInUse());
        PodAffinityRules affinity = new PodAffinityRules(known);
        SpreadRules spread = new SpreadRules(known);
        List<NodeInfo> feasible = new ArrayList<>();
        Diagnosis diagnosis = new Diagnosis(pod, nodes.size());
        for (NodeInfo node : nodes) {
            FilterFailure failure = named != null && !named.contains(node.name())
                    ? FilterFailure.of(Filter.NODE_AFFINITY, "node(s) didn't satisfy plugin(s) [NodeAffinity]")
                    : check(pod, node, volumes, affinity, spread);
            if (failure == null) {
                feasible.add(node);
            } else {
                diagnosis.add(node, failure);
            }
        }
        return feasible.isEmpty() ? diagnosis.unschedulable() : best(known, feasible, volumes, affinity, spread);
    }

    private static ScheduleResult unschedulable(int nodes, String reason, Filter filter) {
        return new ScheduleResult.Unschedulable(
                "0/" + nodes + " nodes are available: " + reason + ". preemption: 0/" + nodes
                        + " nodes are available: " + nodes + " Preemption is not helpful for scheduling.",
                Set.of(filter));
    }

    private static @Nullable FilterFailure check(PodInfo pod, NodeInfo node, VolumeFilter volumes,
            PodAffinityRules affinity, SpreadRules spread) {
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
            return FilterFailure.resolvable(Filter.PORTS, "node(s) didn't have free ports for the requested pod ports");
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

    private static ScheduleResult best(SchedulingView view, List<NodeInfo> feasible, VolumeFilter volumes,
            PodAffinityRules affinity, SpreadRules spread) {
        long[] scores = Scores.of(view, feasible, affinity, spread);
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
                Objects.requireNonNull(volumes.choose(node)));
    }

    /** A pseudo-random number that depends on the seed, the pod and the node only. */
    private static long tie(SchedulingView view, NodeInfo node) {
        long mixed = view.seed() + 0x9E3779B97F4A7C15L * (31L * view.pod().key().hashCode() + node.name().hashCode());
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }

    /** Counts the reasons over the nodes, and makes the message. */
    private static final class Diagnosis {
        private final PodInfo pod;
        private final int nodes;
        private final Map<String, Integer> reasons = new TreeMap<>();
        private final Set<Filter> filters = EnumSet.noneOf(Filter.class);
        private int resolvable;
        private boolean victims;

        Diagnosis(PodInfo pod, int nodes) {
            this.pod = pod;
            this.nodes = nodes;
        }

        void add(NodeInfo node, FilterFailure failure) {
            failure.reasons().forEach(reason -> reasons.merge(reason, 1, Integer::sum));
            filters.add(failure.filter());
            if (failure.resolvable()) {
                resolvable++;
                victims |= node.hasPodsBelow(pod.priority());
            }
        }

        ScheduleResult unschedulable() {
            String message = available(reasons) + preemption();
            return new ScheduleResult.Unschedulable(message, filters);
        }

        private String available(Map<String, Integer> counts) {
            List<String> texts = new ArrayList<>();
            counts.forEach((reason, count) -> texts.add(count + " " + reason));
            texts.sort(null);
            return "0/" + nodes + " nodes are available: " + String.join(", ", texts) + ".";
        }

        /**
         * Upstream's message about preemption if that would not help, or if there is no pod of lower priority;
         * otherwise that this scheduler has none.
         */
        private String preemption() {
            if (!pod.preempts()) {
                return " preemption: not eligible due to preemptionPolicy=Never.";
            }
            if (victims) {
                return " preemption: this scheduler deletes no pods of lower priority.";
            }
            Map<String, Integer> counts = new TreeMap<>();
            if (resolvable > 0) {
                counts.put("No preemption victims found for incoming pod", resolvable);
            }
            if (nodes > resolvable) {
                counts.put("Preemption is not helpful for scheduling", nodes - resolvable);
            }
            return " preemption: " + available(counts);
        }
    }
}
