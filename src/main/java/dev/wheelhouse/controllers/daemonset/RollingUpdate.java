package dev.wheelhouse.controllers.daemonset;

import java.util.ArrayList;
import java.util.List;

import io.kubernetes.client.openapi.models.V1Pod;

/**
 * Replaces pods of older revisions, within {@code maxUnavailable} or {@code maxSurge} (upstream: {@code rollingUpdate}
 * in {@code pkg/controller/daemon/update.go}). A pure function of a view.
 */
final class RollingUpdate {
    private final DaemonSetView view;
    private final PodChange change = new PodChange();
    private final int wanted;

    private RollingUpdate(DaemonSetView view) {
        this.view = view;
        this.wanted = (int) view.nodes().stream().filter(NodePods::runs).count();
    }

    /** The pods to delete, and with a surge the nodes that get a second pod. */
    static PodChange decide(DaemonSetView view) {
        RollingUpdate update = new RollingUpdate(view);
        int maxSurge = view.maxSurge(update.wanted);
        int maxUnavailable = view.maxUnavailable(update.wanted);
        if (maxSurge > 0) {
            update.surge(maxSurge);
        } else {
            update.replace(maxUnavailable == 0 && update.wanted > 0 ? 1 : maxUnavailable);
        }
        return update.change.limited();
    }

    /** The nodes that run a pod or have one. */
    private List<NodePods> concerned() {
        return view.nodes().stream().filter(node -> node.runs() || !node.pods().isEmpty()).toList();
    }

    /** Deletes pods of older revisions. The next sync creates pods in their places. */
    private void replace(int maxUnavailable) {
        Long generation = DaemonPods.templateGeneration(view.set());
        List<V1Pod> candidates = new ArrayList<>();
        int unavailable = 0;
        for (NodePods node : concerned()) {
            NodePods.Pair pods = node.pair(view.hash(), generation);
            if (pods == null || (pods.updated() == null) == (pods.old() == null)) {
                unavailable++;
            } else if (pods.updated() != null) {
                unavailable += DaemonSetDecisions.isAvailable(view, pods.updated()) ? 0 : 1;
            } else if (DaemonSetDecisions.isAvailable(view, pods.old())) {
                candidates.add(pods.old());
            } else {
                change.victims.add(pods.old());
                unavailable++;
            }
        }
        change.victims.addAll(first(candidates, maxUnavailable - unavailable));
    }

    /** Creates pods beside those of older revisions, and deletes the latter when the new ones are available. */
    private void surge(int maxSurge) {
        Long generation = DaemonPods.templateGeneration(view.set());
        List<String> candidates = new ArrayList<>();
        List<V1Pod> misplaced = new ArrayList<>();
        int surging = 0;
        int available = 0;
        for (NodePods node : concerned()) {
            NodePods.Pair pods = node.pair(view.hash(), generation);
            if (pods == null) {
                surging++;
                continue;
            }
            V1Pod serving = pods.old() != null ? pods.old() : pods.updated();
            boolean serves = serving != null && DaemonSetDecisions.isAvailable(view, serving);
            available += serves ? 1 : 0;
            if (pods.old() == null) {
                continue;
            }
            if (pods.updated() != null) {
                if (DaemonSetDecisions.isAvailable(view, pods.updated())) {
                    change.victims.add(pods.old());
                } else {
                    surging++;
                }
            } else if (node.verdict() == NodePredicates.Verdict.ABSENT) {
                change.problem = "couldn't get node for nodeName \"" + node.node() + "\": node \"" + node.node()
                        + "\" not found";
                return;
            } else if (node.runs()) {
                (serves ? candidates : change.nodes).add(node.node());
            } else {
                (serves ? misplaced : change.victims).add(pods.old());
            }
        }
        // A pod that has to leave its node goes only when enough others are available.
        change.victims.addAll(first(misplaced, available - wanted));
        change.nodes.addAll(first(candidates, maxSurge - surging));
    }

    private static <T> List<T> first(List<T> candidates, int count) {
        return candidates.subList(0, Math.clamp(count, 0, candidates.size()));
    }
}
