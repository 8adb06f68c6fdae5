package dev.wheelhouse.controllers.statefulset;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ControllerRevision;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import io.kubernetes.client.openapi.models.V1StatefulSetStatus;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Attempt;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerRefManager;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.OwnedObjects;
import dev.wheelhouse.controller.Owners;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controllers.history.ControllerRevisions;
import dev.wheelhouse.controllers.history.RevisionData;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.informer.SharedIndexInformer;

import static dev.wheelhouse.api.Absent.orZero;

/**
 * Keeps a pod with a stable identity for each ordinal of each StatefulSet (upstream:
 * {@code pkg/controller/statefulset/stateful_set.go}). {@code StatefulSetDecisions} decides, {@code PodTask} describes
 * the writes for one pod.
 */
public final class StatefulSetController extends ObjectController<V1StatefulSet> {
    public static final String NAME = "statefulset-controller";

    private static final ResourceType SETS = ResourceType.STATEFUL_SETS;
    private static final ResourceType REVISIONS = ResourceType.CONTROLLER_REVISIONS;

    private final SharedIndexInformer<V1PersistentVolumeClaim> claims;
    private final OwnedObjects<V1Pod> pods;
    private final OwnedObjects<V1ControllerRevision> revisions;
    /** By the sets' keys. A sync of an unchanged set compares no templates. */
    private final Map<ObjectKey, Known> known = memory();

    /** The set's template of this generation is that of the revision with this UID, the last of the history. */
    private record Known(String uid, @Nullable Long generation, @Nullable String revision) {}

    public StatefulSetController(ControllerContext context) {
        super(NAME, context, SETS, V1StatefulSet.class);
        this.claims = informerFor(ResourceType.PERSISTENT_VOLUME_CLAIMS, V1PersistentVolumeClaim.class);
        var podCache = informerFor(ResourceType.PODS, V1Pod.class);
        this.pods = new OwnedObjects<>(podCache);
        this.revisions = new OwnedObjects<>(informerFor(REVISIONS, V1ControllerRevision.class));
        retryWhenAllowed();
        watch(primary).enqueue(ObjectKey::of);
        watch(podCache).enqueueFor(Owners.in(primary, set -> set.getSpec().getSelector())::keys);
        watch(claims).onDelete().enqueueEach(this::setsWaitingFor);
    }

    /**
     * The StatefulSets whose next pod waits for the deletion of a claim. (Upstream has no such handler, so that the pod
     * may have to wait for the next resync, some 12 hours later.)
     */
    private Stream<ObjectKey> setsWaitingFor(V1PersistentVolumeClaim claim) {
        return OwnerReferences.of(claim.getMetadata()).stream()
                .filter(owner -> owner.getKind().equals(ResourceType.PODS.kind())
                        && owner.getName().lastIndexOf('-') > 0)
                .map(owner -> ObjectKey.of(claim.getMetadata().getNamespace(),
                        owner.getName().substring(0, owner.getName().lastIndexOf('-'))))
                .filter(set -> primary.get(set) != null);
    }

    @Override
    protected @Nullable V1LabelSelector selects(ObjectKey key, ResourceType type) {
        V1StatefulSet set = primary.get(key);
        return set == null || type.equals(SETS) ? null : set.getSpec().getSelector();
    }

    /**
     * Syncs one set in phases: claim revisions and pods, find the revisions, do the tasks for the pods, report the
     * status, shorten the history. A failure skips the phases up to the report, but not the report if the revisions are
     * known, and never the history.
     */
    @Override
    protected Result sync(ObjectKey key, V1StatefulSet set, SyncRun run) {
        LabelSelector selector;
        try {
            selector = LabelSelector.of(set.getSpec().getSelector());
        } catch (IllegalArgumentException e) {
            return Result.terminal("spec.selector: " + e.getMessage());
        }
        List<V1ControllerRevision> history = history(set, selector);
        Outcome adopted = run.execute(adoptions(set, history));
        if (!adopted.succeeded()) {
            return adopted.toResult();
        }
        ControllerRefManager.Claim<V1Pod> claim = claim(set, selector);
        Outcome claimed = run.execute(
                ControllerRefManager.actions(claim, ResourceType.PODS, SETS, set.getMetadata()));
        if (!claimed.succeeded()) {
            return claimed.toResult();
        }
        return update(key, view(set, claim, claimed), history, run);
    }

    private Result update(ObjectKey key, StatefulSetView view, List<V1ControllerRevision> history, SyncRun run) {
        Finding found = findRevisions(key, view.set(), history, run);
        KubeApiException error = found.error;
        Duration next = null;
        if (found.revisions != null) {
            StatefulSetDecisions.Decision decision = StatefulSetDecisions.decide(view, found.revisions);
            error = perform(view, decision, new PodTasks(run));
            StatefulSetStatuses.complete(view, decision.status());
            if (StatefulSetStatuses.differs(view.set().getStatus(), decision.status())) {
                Outcome reported = run.execute(List.of(report(view, decision.status())));
                error = error == null ? reported.error() : error;
            }
            next = untilNextCheck(view, decision.status());
        }
        List<V1ControllerRevision> excess = SetRevisions.excess(view.set(), view.pods(), history, found.revisions);
        Outcome shortened = run.execute(deletions(view, excess));
        error = error == null ? shortened.error() : error;
        if (error != null) {
            return Result.retry(error);
        }
        return next == null ? Result.done() : Result.requeueAfter(next);
    }

    /** @return the first failure; null if all tasks succeeded */
    private static @Nullable KubeApiException perform(StatefulSetView view, StatefulSetDecisions.Decision decision,
            PodTasks tasks) {
        for (List<PodTask> phase : decision.phases()) {
            KubeApiException error = tasks.run(phase, view.isOrdered());
            if (error != null) {
                return error;
            }
        }
        PodTask update = decision.update();
        KubeApiException error = update == null ? null : tasks.run(List.of(update), true);
        if (update != null && error == null) {
            // The pod may have an older revision than the current one. Upstream then sends -1, which is refused.
            V1StatefulSetStatus status = decision.status();
            status.setCurrentReplicas(Math.max(0, orZero(status.getCurrentReplicas()) - 1));
        }
        return error;
    }

    private static Action.Write report(StatefulSetView view, V1StatefulSetStatus status) {
        return new Action.UpdateStatus(SETS, ModelJson.shallowCopy(view.set()).apiVersion(SETS.apiVersion())
                .kind(SETS.kind()).status(status),
                "status of " + status.getReplicas() + " pods, generation " + status.getObservedGeneration());
    }

    private static @Nullable Duration untilNextCheck(StatefulSetView view, V1StatefulSetStatus status) {
        if (view.minReadySeconds() == 0
                || orZero(status.getReadyReplicas()) == orZero(status.getAvailableReplicas())) {
            return null;
        }
        Duration next = Pods.untilNextAvailable(view.pods(), view.minReadySeconds(), view.now());
        return next == null ? Duration.ofSeconds(view.minReadySeconds()) : next;
    }

    /** The revisions that match the set's selector and have no other controller, in their order. */
    private List<V1ControllerRevision> history(V1StatefulSet set, LabelSelector selector) {
        return revisions.candidates(set.getMetadata()).stream()
                .filter(revision -> selector.matches(revision.getMetadata().getLabels()))
                .sorted(ControllerRevisions.OLDEST_FIRST).toList();
    }

    /** A set that is being deleted fails to adopt, and so does nothing else, as in upstream. */
    private static List<Action> adoptions(V1StatefulSet set, List<V1ControllerRevision> history) {
        List<V1ControllerRevision> orphans = history.stream()
                .filter(revision -> OwnerReferences.controllerOf(revision.getMetadata()) == null).toList();
        return ControllerRefManager.actions(new ControllerRefManager.Claim<>(List.of(), orphans, List.of()), REVISIONS,
                SETS, set.getMetadata());
    }

    private ControllerRefManager.Claim<V1Pod> claim(V1StatefulSet set, LabelSelector selector) {
        String name = set.getMetadata().getName();
        return ControllerRefManager.claim(set.getMetadata(),
                pod -> selector.matches(pod.getMetadata().getLabels()) && Identity.isMember(name, pod),
                pods.candidates(set.getMetadata()));
    }

    /**
     * The view with the pods that the set owns now. Adopted pods are as the server returned them, so that an update
     * meets no conflict. A pod that was deleted before its adoption does not count.
     */
    private StatefulSetView view(V1StatefulSet set, ControllerRefManager.Claim<V1Pod> claim, Outcome claimed) {
        List<V1Pod> owned = new ArrayList<>(claim.owned());
        if (!claim.adopt().isEmpty()) {
            Map<ObjectKey, Attempt> done = claimed.attempts().stream().filter(Attempt::done)
                    .collect(Collectors.toMap(a -> a.write().target(), a -> a));
            for (V1Pod pod : claim.adopt()) {
                Attempt adoption = done.get(ObjectKey.of(pod));
                if (adoption != null) {
                    owned.add(adoption.answer() instanceof V1Pod adopted ? adopted : pod);
                }
            }
        }
        String namespace = set.getMetadata().getNamespace();
        return new StatefulSetView(set, owned, name -> claims.get(ObjectKey.of(namespace, name)), clock.now());
    }

    /** The revisions, or why they are not known. */
    private record Finding(@Nullable SetRevisions revisions, @Nullable KubeApiException error) {}

    private Finding findRevisions(ObjectKey key, V1StatefulSet set, List<V1ControllerRevision> history, SyncRun run) {
        V1ObjectMeta meta = set.getMetadata();
        int collisions = SetRevisions.collisions(set);
        if (!history.isEmpty() && new Known(meta.getUid(), meta.getGeneration(),
                history.getLast().getMetadata().getUid()).equals(known.get(key))) {
            return new Finding(SetRevisions.of(set, history, history.getLast(), collisions), null);
        }
        switch (SetRevisions.choose(set, history)) {
            case SetRevisions.Choice.Existing existing -> {
                Known chosen = new Known(meta.getUid(), meta.getGeneration(),
                        existing.revision().getMetadata().getUid());
                run.note(() -> known.put(key, chosen));
                return new Finding(SetRevisions.of(set, history, existing.revision(), collisions), null);
            }
            case SetRevisions.Choice.Renumber renumber -> {
                Outcome outcome = run.execute(List.of(new Action.Update(REVISIONS, renumber.revision(),
                        "StatefulSet " + meta.getName() + " has its template again")));
                return outcome.error() != null
                        ? new Finding(null, outcome.error())
                        : new Finding(SetRevisions.of(set, history, renumber.revision(), collisions), null);
            }
            case SetRevisions.Choice.New create -> {
                return createRevision(set, history, create.revision(), collisions, run);
            }
        }
    }

    /**
     * Creates a revision. If an object with other data has the name, the hash of the next collision count makes
     * another name (upstream: {@code CreateControllerRevision} in
     * {@code pkg/controller/history/controller_history.go}).
     */
    private Finding createRevision(V1StatefulSet set, List<V1ControllerRevision> history,
            V1ControllerRevision proposed, int collisionCount, SyncRun run) {
        V1ControllerRevision revision = proposed;
        String data = RevisionData.of(proposed);
        for (int collisions = collisionCount;; collisions++) {
            revision = ControllerRevisions.renamed(revision, ControllerRevisions.name(set.getMetadata().getName(),
                    ControllerRevisions.hash(data, collisions)));
            Outcome outcome = run.execute(List.of(new Action.Create(REVISIONS, revision,
                    "StatefulSet " + set.getMetadata().getName() + " has a new template")));
            if (outcome.error() == null) {
                return new Finding(SetRevisions.of(set, history, revision, collisions), null);
            }
            V1ControllerRevision present = outcome.error().isAlreadyExists()
                    ? revisions.get(ObjectKey.of(revision))
                    : null;
            if (present == null) {
                return new Finding(null, outcome.error());
            }
            if (RevisionData.of(present).equals(data)) {
                return new Finding(SetRevisions.of(set, history, present, collisions), null);
            }
        }
    }

    private static List<Action> deletions(StatefulSetView view, List<V1ControllerRevision> excess) {
        List<Action> deletions = new ArrayList<>(excess.size());
        excess.forEach(revision -> deletions.add(new Action.Delete(REVISIONS, ObjectKey.of(revision),
                Deletion.ofUid(revision.getMetadata().getUid()),
                "the history of StatefulSet " + view.name() + " is longer than its limit")));
        return deletions;
    }
}
