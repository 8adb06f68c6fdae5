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
    /** A prime. Where some nodes are enough, they are so far apart in the order of names. */
    private static final int STRIDE = 7919;

    private Placement() {}

    static ScheduleResult decide(SchedulingView view) {
        List<NodeInfo> nodes = view.nodes().stream().filter(NodeInfo::isKnown).toList();
        if (nodes.isEmpty()) {
            return new ScheduleResult.Unschedulable("no nodes available to schedule pods", Filter.NODES);
        }
        PodInfo pod = view.pod();
        Profile profile = view.profile();
        if (!pod.problem().isEmpty()) {
            return unschedulable(view, nodes.size(), pod.problem(), Filter.POD_AFFINITY);
        }
        Set<String> named = pod.selection().namedNodes();
        if (named != null && named.isEmpty() && profile.filters(Plugin.NODE_AFFINITY)) {
            return unschedulable(view, nodes.size(), "pod affinity terms conflict", Filter.NODE_AFFINITY);
        }
        if (!view.volumes().problem().isEmpty() && profile.filters(Plugin.VOLUME_BINDING)) {
            return unschedulable(view, nodes.size(), view.volumes().problem(), Filter.CLAIMS);
        }
        Rules rules = Rules.of(view.withNodes(nodes));
        for (NodeInfo node : nodes) {
            if (node.name().equals(view.nominated()) && rules.check(node) == null) {
                return best(rules, List.of(node));
            }
        }
        List<NodeInfo> feasible = new ArrayList<>();
        Diagnosis diagnosis = new Diagnosis(rules);
        int enough = profile.enough(nodes.size());
        boolean some = enough < nodes.size();
        long stride = some && nodes.size() % STRIDE != 0 ? STRIDE : 1;
        long start = some ? view.turn() % nodes.size() * enough : 0;
        for (int i = 0; i < nodes.size() && feasible.size() < enough; i++) {
            NodeInfo node = nodes.get((int) ((start + i) * stride % nodes.size()));
            FilterFailure failure = rules.check(node);
            if (failure == null) {
                feasible.add(node);
            } else {
                diagnosis.add(node, failure);
            }
        }
        return feasible.isEmpty() ? diagnosis.unschedulable() : best(rules, feasible);
    }

    private static ScheduleResult unschedulable(SchedulingView view, int nodes, String reason, Filter filter) {
        String available = "0/" + nodes + " nodes are available: ";
        return new ScheduleResult.Unschedulable(available + reason + "." + (view.profile().preempts()
                ? " preemption: " + available + nodes + " Preemption is not helpful for scheduling."
                : ""), filter);
    }

    /** All filters of one pod. */
    record Rules(SchedulingView view, VolumeFilter volumes, PodAffinityRules affinity, SpreadRules spread) {
        static Rules of(SchedulingView view) {
            return new Rules(view, new VolumeFilter(view), new PodAffinityRules(view), new SpreadRules(view));
        }

        /** The filters after pods have left nodes or come back. */
        Rules anew() {
            return affinity.isIdle() && spread.isIdle() ? this : of(view);
        }

        /** Null if the pod fits on the node. */
        @Nullable
        FilterFailure check(NodeInfo node) {
            PodInfo pod = view.pod();
            Profile profile = view.profile();
            boolean selects = profile.filters(Plugin.NODE_AFFINITY);
            Set<String> named = selects ? pod.selection().namedNodes() : null;
            if (named != null && !named.contains(node.name())) {
                return FilterFailure.of(Filter.NODE_AFFINITY, "node(s) didn't satisfy plugin(s) [NodeAffinity]");
            }
            if (node.unschedulable() && profile.filters(Plugin.NODE_UNSCHEDULABLE)
                    && !Taints.tolerateUnschedulable(pod.tolerations())) {
                return FilterFailure.of(Filter.NODE_UNSCHEDULABLE, "node(s) were unschedulable");
            }
            if (profile.filters(Plugin.TAINT_TOLERATION) && Taints.forbid(node.taints(), pod.tolerations())) {
                return FilterFailure.of(Filter.TAINTS, "node(s) had untolerated taint(s)");
            }
            if (selects && !profile.args().added().matches(node.name(), node.labels())) {
                return FilterFailure.of(Filter.NODE_AFFINITY,
                        "node(s) didn't match scheduler-enforced node affinity");
            }
            if (selects && !pod.selection().matches(node.name(), node.labels())) {
                return FilterFailure.of(Filter.NODE_AFFINITY, "node(s) didn't match Pod's node affinity/selector");
            }
            if (profile.filters(Plugin.NODE_PORTS)
                    && pod.ports().stream().anyMatch(port -> port.conflicts(node.ports()))) {
                return FilterFailure.resolvable(Filter.PORTS,
                        "node(s) didn't have free ports for the requested pod ports");
            }
            FilterFailure failure = profile.filters(Plugin.NODE_RESOURCES_FIT)
                    ? fits(pod.requests(), node, profile.args().fit())
                    : null;
            if (failure == null) {
                failure = volumes.check(node);
            }
            if (failure == null && profile.filters(Plugin.POD_TOPOLOGY_SPREAD)) {
                failure = spread.check(node);
            }
            return failure == null && profile.filters(Plugin.INTER_POD_AFFINITY) ? affinity.check(node) : failure;
        }
    }

    private static @Nullable FilterFailure fits(ResourceAmounts wanted, NodeInfo node, Profile.Fit args) {
        List<String> reasons = new ArrayList<>(0);
        boolean everFits = true;
        ResourceAmounts offered = node.allocatable();
        if (node.pods() + 1 > node.allowedPods()) {
            reasons.add("Too many pods");
        }
        for (String resource : wanted.names()) {
            long amount = wanted.amount(resource);
            if (amount > 0 && amount > offered.amount(resource) - node.requested(resource)
                    && !args.ignores(resource)) {
                reasons.add("Insufficient " + resource);
                everFits &= amount <= offered.amount(resource);
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
            if (!view.profile().preempts()) {
                return new ScheduleResult.Unschedulable(message, filters, "", List.of());
            }
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
