package dev.wheelhouse.controllers.replicaset;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1ReplicaSetStatus;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Attempt;
import dev.wheelhouse.controller.ControllerRefManager;
import dev.wheelhouse.controllers.pods.PodEvents;
import dev.wheelhouse.controllers.pods.PodFactory;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.controllers.pods.VictimRanking;

/**
 * Decides about one ReplicaSet, as pure functions of a view, in the three phases of a sync (upstream:
 * {@code pkg/controller/replicaset/replica_set.go}). The input of each phase includes the outcome of the one before.
 */
final class ReplicaSetDecisions {
    /** The maximum number of pods that one sync creates or deletes. */
    static final int BURST = 500;

    private ReplicaSetDecisions() {}

    /** Phase one: the pods to adopt and to release. */
    static List<Action> claim(ReplicaSetView view) {
        return ControllerRefManager.actions(view.claim(), ResourceType.PODS, view.ownerType(),
                view.set().getMetadata());
    }

    private static int surplus(ReplicaSetView view) {
        return view.isDeleting() ? 0 : Math.clamp(view.owned().size() - (long) view.wanted(), -BURST, BURST);
    }

    /** Phase two: the pods to create. */
    static List<Action> creations(ReplicaSetView view) {
        V1ObjectMeta owner = view.set().getMetadata();
        List<Action.Write> creates = new ArrayList<>();
        for (int i = surplus(view); i < 0; i++) {
            V1Pod pod = PodFactory.fromTemplate(view.set().getSpec().getTemplate(), view.ownerType(), owner);
            creates.add(new Action.Create(ResourceType.PODS, pod, "too few" + counts(view)));
        }
        return creates.isEmpty() ? List.of() : List.of(Action.Batch.slowStart(creates));
    }

    /** Phase two: the pods to delete. */
    static List<V1Pod> victims(ReplicaSetView view) {
        int surplus = surplus(view);
        return surplus <= 0
                ? List.of()
                : new VictimRanking(view.relatedPerNode(), view.now()).choose(view.owned(), surplus);
    }

    static List<Action> deletions(ReplicaSetView view, List<V1Pod> victims) {
        return List.of(Action.Batch.each(victims.stream().map(victim -> new Action.Delete(ResourceType.PODS,
                ObjectKey.of(victim), Deletion.ofUid(victim.getMetadata().getUid()), "too many" + counts(view)))
                .toList()));
    }

    private static String counts(ReplicaSetView view) {
        return " pods of " + view.ownerType().kind() + " " + ObjectKey.of(view.set().getMetadata()) + ": it has "
                + view.owned().size() + " and wants " + view.wanted();
    }

    /** The ages of the ready victims, in whole ages of the youngest ready pod; none if all pods are victims. */
    static List<Long> ageRatios(ReplicaSetView view, List<V1Pod> victims) {
        if (victims.isEmpty() || victims.size() == view.owned().size()) {
            return List.of();
        }
        long youngest = view.owned().stream().filter(Pods::isReady).mapToLong(pod -> age(pod, view)).min().orElse(0);
        return youngest <= 0
                ? List.of()
                : victims.stream().filter(Pods::isReady).map(pod -> age(pod, view) / youngest).toList();
    }

    /** In milliseconds. */
    private static long age(V1Pod pod, ReplicaSetView view) {
        Instant created = Pods.created(pod);
        return created == null ? 0 : Duration.between(created, view.now()).toMillis();
    }

    /** The Events about the creations and deletions that were tried. */
    static List<Action> events(ReplicaSetView view, List<Attempt> attempts) {
        return PodEvents.of(view.ownerType(), view.set(), attempts);
    }

    /**
     * The failure of phase two, for the status; null if there was none. A namespace that is being deleted is not a
     * failure of the ReplicaSet.
     */
    static ReplicaSetStatuses.@Nullable Failure failure(List<Attempt> attempts) {
        for (Attempt attempt : attempts) {
            KubeApiException error = attempt.error();
            if (error != null && attempt.failed() && !error.isNamespaceTerminating()) {
                return attempt.write() instanceof Action.Create
                        ? new ReplicaSetStatuses.Failure("FailedCreate", error.statusMessage())
                        : new ReplicaSetStatuses.Failure("FailedDelete",
                                "unable to delete pods: " + error.statusMessage());
            }
        }
        return null;
    }

    /** Phase three: the status, if it changes, and a requeue for when a ready pod becomes available. */
    static List<Action> report(ReplicaSetView view, ReplicaSetStatuses.@Nullable Failure failure) {
        List<Action> actions = new ArrayList<>(2);
        V1ReplicaSetStatus status = ReplicaSetStatuses.of(view, failure);
        if (!ReplicaSetStatuses.same(view.set().getStatus(), status)) {
            actions.add(new Action.UpdateStatus(view.ownerType(), withStatus(view, status),
                    "status of " + status.getReplicas() + " pods, generation " + status.getObservedGeneration()));
        }
        Duration next = Pods.untilNextAvailable(view.owned(), view.minReadySeconds(), view.now());
        if (next != null) {
            actions.add(new Action.RequeueAfter(next));
        }
        return actions;
    }

    private static KubernetesObject withStatus(ReplicaSetView view, V1ReplicaSetStatus status) {
        V1ReplicaSet set = new V1ReplicaSet().apiVersion(view.ownerType().apiVersion()).kind(view.ownerType().kind())
                .metadata(view.set().getMetadata()).spec(view.set().getSpec()).status(status);
        return view.ownerType().equals(ResourceType.REPLICATION_CONTROLLERS)
                ? ReplicationControllers.fromReplicaSet(set)
                : set;
    }
}
