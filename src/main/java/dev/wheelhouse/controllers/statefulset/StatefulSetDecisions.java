package dev.wheelhouse.controllers.statefulset;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1StatefulSetStatus;

import dev.wheelhouse.controllers.pods.Pods;

import static dev.wheelhouse.api.Absent.orZero;

/**
 * Decides about the pods of one StatefulSet, as a pure function of a view and its revisions (upstream:
 * {@code updateStatefulSet} in {@code pkg/controller/statefulset/stateful_set_control.go}).
 */
final class StatefulSetDecisions {
    /**
     * The decision.
     *
     * @param phases the tasks, in phases; a phase follows if all tasks before succeeded. In a parallel set, a pod that
     *     needs nothing has an empty task, because upstream's batches contain all pods
     * @param update the deletion of a pod with an old revision, after all phases; null if there is none
     * @param status of the pods before the tasks, as upstream reports it
     */
    record Decision(List<List<PodTask>> phases, @Nullable PodTask update, V1StatefulSetStatus status) {}

    /** The number of missing pods of a parallel set that one sync creates at most. */
    private static final int MOST_MISSING = 500;

    private final StatefulSetView view;
    private final SetRevisions revisions;
    /** The pods of the set's ordinals. Replicas may be more than fit in memory, so missing pods take no space. */
    private final NavigableMap<Integer, V1Pod> replicas = new TreeMap<>();
    /** The pods of other ordinals, the last first. */
    private final List<V1Pod> condemned = new ArrayList<>();

    private StatefulSetDecisions(StatefulSetView view, SetRevisions revisions) {
        this.view = view;
        this.revisions = revisions;
        for (V1Pod pod : view.pods()) {
            int ordinal = Identity.ordinal(pod);
            if (view.isInRange(ordinal)) {
                replicas.put(ordinal, pod);
            } else if (ordinal >= 0) {
                condemned.add(pod);
            }
        }
        condemned.sort(Comparator.comparingInt(Identity::ordinal).reversed());
    }

    static Decision decide(StatefulSetView view, SetRevisions revisions) {
        return view.isDeleting()
                ? new Decision(List.of(), null, StatefulSetStatuses.of(view, revisions, view.pods()))
                : new StatefulSetDecisions(view, revisions).decide();
    }

    private Decision decide() {
        V1StatefulSetStatus status = StatefulSetStatuses.of(view, revisions,
                Stream.concat(replicas.values().stream(), condemned.stream()).toList());
        List<PodTask> forReplicas = new ArrayList<>();
        int missing = 0;
        for (int ordinal = view.start(); view.isInRange(ordinal); ordinal++) {
            if (missing == MOST_MISSING) {
                // The pods that are created now lead to the next sync.
                Integer present = replicas.ceilingKey(ordinal);
                if (present == null) {
                    break;
                }
                ordinal = present;
            }
            missing += replicas.containsKey(ordinal) ? 0 : 1;
            int before = forReplicas.size();
            boolean healthy = decideReplica(ordinal, forReplicas);
            V1Pod pod = replicas.get(ordinal);
            if (!view.isOrdered() && forReplicas.size() == before) {
                forReplicas.add(PodTask.none(view, pod == null ? newPod(ordinal) : pod));
            }
            if (!healthy && view.isOrdered()) {
                return new Decision(List.of(forReplicas), null, status);
            }
        }
        List<PodTask> retention = condemned.stream()
                .map(pod -> PodTask.claimsMatch(view, pod) ? PodTask.none(view, pod) : PodTask.retain(view, pod))
                .toList();
        List<PodTask> deletions = deletions();
        boolean mayUpdate = !view.updatesOnDelete() && (!view.isOrdered() || condemned.isEmpty());
        return new Decision(List.of(forReplicas, retention, deletions), mayUpdate ? update() : null, status);
    }

    /**
     * Adds the tasks for one replica.
     *
     * @return whether the pod is available; if not, an ordered set does nothing further
     */
    private boolean decideReplica(int ordinal, List<PodTask> tasks) {
        V1Pod pod = replicas.get(ordinal);
        if (pod == null) {
            V1Pod created = newPod(ordinal);
            if (!waitsForClaims(created)) {
                tasks.add(PodTask.create(view, created));
            }
            return false;
        }
        if (Pods.isFinished(pod)) {
            if (!Pods.isDeleting(pod)) {
                tasks.add(PodTask.delete(view, pod, "it has finished, and StatefulSet " + view.name()
                        + " wants it to run"));
            }
            return false;
        }
        boolean claimsHandled = false;
        if (Pods.phase(pod).equals("Pending")) {
            PodTask claims = PodTask.createClaims(view, pod);
            if (!claims.isEmpty()) {
                tasks.add(claims);
                claimsHandled = true;
            }
        }
        if (view.isOrdered() && (Pods.isDeleting(pod) || !isRunningAndReady(pod) || !isAvailable(pod))) {
            return false;
        }
        if (!Identity.matches(view, pod) || !Identity.storageMatches(view, pod)
                || (!claimsHandled && !PodTask.claimsMatch(view, pod))) {
            tasks.add(PodTask.update(view, pod));
        }
        return true;
    }

    /**
     * A new pod. With a partition, an ordinal below it gets the current revision (upstream:
     * {@code newVersionedStatefulSetPod}).
     */
    private V1Pod newPod(int ordinal) {
        int kept = view.rollingUpdate() != null
                ? view.partition()
                : view.updatesRolling() && view.set().getStatus() != null
                        ? orZero(view.set().getStatus().getCurrentReplicas())
                        : 0;
        return ordinal < (long) view.start() + kept
                ? Identity.newPod(view, revisions.currentTemplate(view.set()), revisions.currentName(), ordinal)
                : Identity.newPod(view, view.set().getSpec().getTemplate(), revisions.updateName(), ordinal);
    }

    /** Whether a claim of a new pod still has to be deleted with an earlier pod of the same name. */
    private boolean waitsForClaims(V1Pod pod) {
        return view.hasClaim(pod, new ClaimRetention(view, pod)::isStale);
    }

    /**
     * The deletions of pods beyond the replicas. An ordered set deletes only the last one, after the deletion of the
     * one before. It deletes a pod that is not available only if no other condemned pod is unavailable before it.
     */
    private List<PodTask> deletions() {
        if (!view.isOrdered()) {
            return condemned.stream()
                    .map(pod -> Pods.isDeleting(pod) ? PodTask.none(view, pod) : scaleDown(pod)).toList();
        }
        if (condemned.isEmpty() || Pods.isDeleting(condemned.getFirst())) {
            return List.of();
        }
        V1Pod last = condemned.getFirst();
        V1Pod firstUnavailable = condemned.reversed().stream()
                .filter(pod -> !isAvailable(pod) || Pods.isDeleting(pod)).findFirst().orElse(null);
        boolean healthy = isRunningAndReady(last) && isAvailable(last);
        return healthy || last == firstUnavailable ? List.of(scaleDown(last)) : List.of();
    }

    private PodTask scaleDown(V1Pod pod) {
        return PodTask.delete(view, pod, "StatefulSet " + view.name() + " wants " + view.replicas() + " replicas from "
                + view.start());
    }

    /** The deletion of the last pod with an old revision, if all pods after it are available. */
    private @Nullable PodTask update() {
        for (int ordinal = view.last(); ordinal >= (long) view.start() + view.partition(); ordinal--) {
            V1Pod pod = replicas.get(ordinal);
            if (pod != null && !Identity.revision(pod).equals(revisions.updateName()) && !Pods.isDeleting(pod)) {
                return PodTask.delete(view, pod, "its revision is " + Identity.revision(pod) + " and StatefulSet "
                        + view.name() + " wants " + revisions.updateName());
            }
            if (pod == null || !isAvailable(pod) || Pods.isDeleting(pod)) {
                return null;
            }
        }
        return null;
    }

    private static boolean isRunningAndReady(V1Pod pod) {
        return Pods.phase(pod).equals("Running") && Pods.isReady(pod);
    }

    private boolean isAvailable(V1Pod pod) {
        return Pods.isAvailable(pod, view.minReadySeconds(), view.now());
    }
}
