package dev.wheelhouse.scheduler;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudgetStatus;

import dev.wheelhouse.api.LabelSelector;

import static dev.wheelhouse.api.Absent.orEmpty;
import static dev.wheelhouse.api.Absent.orZero;

/**
 * Finds the pods of lower priority that have to go so that a pod fits on a node (upstream:
 * {@code plugins/defaultpreemption}, {@code framework/preemption}). Pure: the sums of the nodes are as before
 * afterwards.
 */
final class Preemption {
    private final PodInfo pod;
    private final Facts facts;
    private final Comparator<PodInfo> mostImportantFirst;

    /**
     * The facts that matter for preemption alone.
     *
     * @param budgets the budgets of disruptions
     * @param started when a pod has started, in milliseconds since 1970; {@code Long.MAX_VALUE} if it has not
     */
    record Facts(Supplier<List<V1PodDisruptionBudget>> budgets, ToLongFunction<PodInfo> started) {
        static final Facts NONE = new Facts(List::of, pod -> Long.MAX_VALUE);
    }

    /**
     * @param victims the most important first
     * @param violations how many of them a budget protects
     */
    record Candidate(NodeInfo node, List<PodInfo> victims, int violations) {}

    Preemption(PodInfo pod, Facts facts) {
        this.pod = pod;
        this.facts = facts;
        this.mostImportantFirst = Comparator.comparingInt(PodInfo::priority).reversed()
                .thenComparingLong(facts.started);
    }

    /** Whether pods that had to go for this pod are still on a node. */
    boolean isUnderWay(NodeInfo node) {
        return node.placed().stream().anyMatch(each -> each.priority() < pod.priority() && each.preempted());
    }

    /**
     * The node that loses least; null if there is none.
     *
     * @param potential the nodes on which the pod may fit when pods go
     * @param rules the filters, which are asked again after each change
     * @param refused gets the nodes that do not help, with the reasons
     */
    @Nullable
    Candidate choose(List<NodeInfo> potential, Placement.Rules rules, Map<NodeInfo, List<String>> refused) {
        List<Budget> budgets = facts.budgets.get().stream().map(Budget::of).toList();
        Profile.Preemption args = rules.view().profile().args().preemption();
        int most = Math.max(args.minCandidateNodesAbsolute(),
                potential.size() * args.minCandidateNodesPercentage() / 100);
        List<Candidate> found = new ArrayList<>();
        boolean harmless = false;
        for (NodeInfo node : potential) {
            Candidate candidate = candidate(node, rules, budgets, refused);
            if (candidate != null) {
                found.add(candidate);
                harmless |= candidate.violations == 0;
            }
            if (harmless && found.size() >= most) {
                break;
            }
        }
        return found.stream().min(Comparator.comparingInt(Candidate::violations)
                .thenComparingInt(each -> each.victims.getFirst().priority())
                .thenComparingLong(each -> each.victims.stream().mapToLong(p -> p.priority() + (1L << 31)).sum())
                .thenComparingInt(each -> each.victims.size())
                .thenComparingLong(each -> -facts.started.applyAsLong(each.victims.getFirst()))).orElse(null);
    }

    private @Nullable Candidate candidate(NodeInfo node, Placement.Rules rules, List<Budget> budgets,
            Map<NodeInfo, List<String>> refused) {
        List<PodInfo> lower = node.placed().stream().filter(each -> each.priority() < pod.priority())
                .sorted(mostImportantFirst).toList();
        if (lower.isEmpty()) {
            refused.put(node, List.of("No preemption victims found for incoming pod"));
            return null;
        }
        lower.forEach(node::remove);
        FilterFailure failure = rules.anew().check(node);
        if (failure != null) {
            lower.forEach(node::add);
            refused.put(node, failure.reasons());
            return null;
        }
        List<PodInfo> guarded = guarded(lower, budgets);
        List<PodInfo> others = lower.stream().filter(each -> !guarded.contains(each)).toList();
        List<PodInfo> victims = new ArrayList<>();
        spare(guarded, node, rules, victims);
        int violations = victims.size();
        spare(others, node, rules, victims);
        victims.forEach(node::add);
        victims.sort(mostImportantFirst);
        return new Candidate(node, victims, violations);
    }

    /** Gives pods back to a node as far as the pod still fits; the others become victims. */
    private static void spare(List<PodInfo> pods, NodeInfo node, Placement.Rules rules, List<PodInfo> victims) {
        for (PodInfo each : pods) {
            node.add(each);
            if (rules.anew().check(node) != null) {
                node.remove(each);
                victims.add(each);
            }
        }
    }

    /** The pods that no budget could lose, if those before them went. */
    private static List<PodInfo> guarded(List<PodInfo> pods, List<Budget> budgets) {
        Map<Budget, Integer> left = new IdentityHashMap<>();
        return pods.stream().filter(each -> budgets.stream().filter(budget -> budget.counts(each))
                .filter(budget -> left.merge(budget, budget.allowed - 1, (now, first) -> now - 1) < 0).count() > 0)
                .toList();
    }

    private record Budget(String namespace, LabelSelector selector, int allowed, Set<String> disrupted) {
        static Budget of(V1PodDisruptionBudget budget) {
            V1PodDisruptionBudgetStatus status = budget.getStatus();
            return new Budget(budget.getMetadata().getNamespace(), LabelSelector.of(budget.getSpec().getSelector()),
                    status == null ? 0 : orZero(status.getDisruptionsAllowed()),
                    status == null ? Set.of() : orEmpty(status.getDisruptedPods()).keySet());
        }

        boolean counts(PodInfo pod) {
            return pod.group().namespace().equals(namespace) && !selector.isEverything()
                    && selector.matches(pod.group().labels()) && !disrupted.contains(pod.key().name());
        }
    }
}
