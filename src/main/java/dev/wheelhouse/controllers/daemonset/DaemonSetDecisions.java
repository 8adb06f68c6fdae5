package dev.wheelhouse.controllers.daemonset;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.kubernetes.client.openapi.models.V1DaemonSet;
import io.kubernetes.client.openapi.models.V1DaemonSetStatus;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.event.EventRecorder;

import static dev.wheelhouse.api.Absent.orNull;
import static dev.wheelhouse.api.Absent.orZero;

/**
 * Decides about the pods and the status of one DaemonSet, as pure functions of a view (upstream: {@code manage} and
 * {@code updateDaemonSetStatus} in {@code daemon_controller.go}).
 */
final class DaemonSetDecisions {
    private DaemonSetDecisions() {}

    /** The pods that are missing, and those that failed, ended, are too many or run on the wrong node. */
    static PodChange manage(DaemonSetView view) {
        PodChange change = new PodChange();
        for (NodePods node : view.nodes()) {
            switch (node.verdict()) {
                case RUN, KEEP -> {
                    if (node.runs() && node.pods().isEmpty()) {
                        change.nodes.add(node.node());
                    } else {
                        prune(view, node, change);
                    }
                }
                case LEAVE -> node.pods().stream().filter(pod -> !Pods.isDeleting(pod)).forEach(change.victims::add);
                // The scheduler will never bind these, and nobody else deletes them.
                case ABSENT -> node.pods().stream().filter(pod -> !Pods.isDeleting(pod) && Pods.node(pod).isEmpty())
                        .forEach(change.victims::add);
            }
        }
        return change.limited();
    }

    /** Deletes the pods of a node that have ended, and those that are too many. */
    private static void prune(DaemonSetView view, NodePods node, PodChange change) {
        List<V1Pod> running = new ArrayList<>(2);
        for (V1Pod pod : node.pods()) {
            if (Pods.isDeleting(pod)) {
                continue;
            }
            switch (Pods.phase(pod)) {
                case "Failed" -> failed(view, node, pod, change);
                case "Succeeded" -> {
                    change.events.add(event(view.set(), EventRecorder.NORMAL, "SucceededDaemonPod",
                            "Found succeeded daemon pod " + ObjectKey.of(pod) + " on node " + node.node()
                                    + ", will try to delete it"));
                    change.victims.add(pod);
                }
                default -> running.add(pod);
            }
        }
        if (running.size() > 1) {
            running.sort(NodePods.OLDEST_FIRST);
            if (view.maxSurge(1) > 0) {
                surplusOfSurge(view, running, change);
            } else {
                change.victims.addAll(running.subList(1, running.size()));
            }
        } else if (running.isEmpty() && node.runs() && view.maxSurge(1) > 0) {
            change.nodes.add(node.node());
        }
    }

    private static void failed(DaemonSetView view, NodePods node, V1Pod pod, PodChange change) {
        Duration delay = view.delays().get(node.node());
        if (delay != null || change.failedOn.contains(node.node())) {
            Duration wait = delay == null ? FailedPodsBackoff.FIRST : delay;
            change.retryAfter = change.retryAfter == null || wait.compareTo(change.retryAfter) < 0
                    ? wait
                    : change.retryAfter;
            return;
        }
        change.failedOn.add(node.node());
        change.events.add(event(view.set(), EventRecorder.WARNING, "FailedDaemonPod", "Found failed daemon pod "
                + ObjectKey.of(pod) + " on node " + node.node() + ", will try to kill it"));
        change.victims.add(pod);
    }

    /**
     * With a surge, a node may have the oldest pod of the newest revision and the oldest other pod, as long as the
     * first is not available and the second is ready.
     */
    private static void surplusOfSurge(DaemonSetView view, List<V1Pod> oldestFirst, PodChange change) {
        V1Pod updated = null;
        V1Pod old = null;
        for (V1Pod pod : oldestFirst) {
            boolean isUpdated = view.hash().equals(DaemonPods.label(pod, DaemonPods.HASH_LABEL));
            if (isUpdated && updated == null) {
                updated = pod;
            } else if (!isUpdated && old == null) {
                old = pod;
            } else {
                change.victims.add(pod);
            }
        }
        if (updated != null && old != null && (!Pods.isReady(old) || isAvailable(view, updated))) {
            change.victims.add(old);
        }
    }

    static boolean isAvailable(DaemonSetView view, V1Pod pod) {
        return Pods.isAvailable(pod, view.minReadySeconds(), view.now());
    }

    static List<Action> creations(DaemonSetView view, PodChange change) {
        if (change.nodes.isEmpty()) {
            return List.of();
        }
        V1PodTemplateSpec template = DaemonPods.template(view.set(), view.hash());
        String why = "DaemonSet " + ObjectKey.of(view.set()) + " runs on the node";
        return List.of(Action.Batch.slowStart(change.nodes.stream().map(node -> new Action.Create(ResourceType.PODS,
                DaemonPods.forNode(template, view.set(), node), why)).toList()));
    }

    static List<Action> deletions(DaemonSetView view, PodChange change) {
        if (change.victims.isEmpty()) {
            return List.of();
        }
        String why = "DaemonSet " + ObjectKey.of(view.set()) + " wants another pod on the node, or none";
        return List.of(Action.Batch.each(change.victims.stream().map(pod -> new Action.Delete(ResourceType.PODS,
                ObjectKey.of(pod), Deletion.ofUid(pod.getMetadata().getUid()), why)).toList()));
    }

    static Action event(V1DaemonSet set, String type, String reason, String message) {
        return new Action.Event(ResourceType.DAEMON_SETS, set, type, reason, message);
    }

    /** The status, if it changes, and a requeue while ready pods are not available. */
    static List<Action> report(DaemonSetView view) {
        List<Action> actions = new ArrayList<>(2);
        V1DaemonSetStatus before = view.set().getStatus();
        V1DaemonSetStatus status = count(view);
        status.collisionCount(before == null ? null : before.getCollisionCount())
                .conditions(before == null ? null : before.getConditions())
                .observedGeneration(view.set().getMetadata().getGeneration());
        if (before == null || !same(before, status)) {
            actions.add(new Action.UpdateStatus(ResourceType.DAEMON_SETS,
                    new V1DaemonSet().apiVersion(ResourceType.DAEMON_SETS.apiVersion())
                            .kind(ResourceType.DAEMON_SETS.kind()).metadata(view.set().getMetadata())
                            .spec(view.set().getSpec())
                            .status(status),
                    status.getCurrentNumberScheduled() + " of " + status.getDesiredNumberScheduled()
                            + " nodes have a pod"));
        }
        if (view.minReadySeconds() > 0 && orZero(status.getNumberReady()) != orZero(status.getNumberAvailable())) {
            actions.add(new Action.RequeueAfter(Duration.ofSeconds(view.minReadySeconds())));
        }
        return actions;
    }

    private static V1DaemonSetStatus count(DaemonSetView view) {
        int desired = 0;
        int current = 0;
        int misscheduled = 0;
        int ready = 0;
        int available = 0;
        int updated = 0;
        Long generation = DaemonPods.templateGeneration(view.set());
        for (NodePods node : view.nodes()) {
            boolean scheduled = !node.pods().isEmpty();
            if (!node.runs()) {
                misscheduled += scheduled && node.verdict() != NodePredicates.Verdict.ABSENT ? 1 : 0;
                continue;
            }
            desired++;
            if (!scheduled) {
                continue;
            }
            current++;
            V1Pod pod = node.oldest();
            ready += Pods.isReady(pod) ? 1 : 0;
            available += isAvailable(view, pod) ? 1 : 0;
            updated += DaemonPods.isUpdated(pod, view.hash(), generation) ? 1 : 0;
        }
        return new V1DaemonSetStatus().desiredNumberScheduled(desired).currentNumberScheduled(current)
                .numberMisscheduled(misscheduled).numberReady(ready).updatedNumberScheduled(orNull(updated))
                .numberAvailable(orNull(available)).numberUnavailable(orNull(desired - available));
    }

    /** Whether two statuses have the same numbers. Zero equals absent. */
    private static boolean same(V1DaemonSetStatus a, V1DaemonSetStatus b) {
        return orZero(a.getDesiredNumberScheduled()) == orZero(b.getDesiredNumberScheduled())
                && orZero(a.getCurrentNumberScheduled()) == orZero(b.getCurrentNumberScheduled())
                && orZero(a.getNumberMisscheduled()) == orZero(b.getNumberMisscheduled())
                && orZero(a.getNumberReady()) == orZero(b.getNumberReady())
                && orZero(a.getUpdatedNumberScheduled()) == orZero(b.getUpdatedNumberScheduled())
                && orZero(a.getNumberAvailable()) == orZero(b.getNumberAvailable())
                && orZero(a.getNumberUnavailable()) == orZero(b.getNumberUnavailable())
                && orZero(a.getObservedGeneration()) == orZero(b.getObservedGeneration());
    }
}
