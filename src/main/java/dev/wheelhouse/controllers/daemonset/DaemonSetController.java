package dev.wheelhouse.controllers.daemonset;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ControllerRevision;
import io.kubernetes.client.openapi.models.V1DaemonSet;
import io.kubernetes.client.openapi.models.V1DaemonSetStatus;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.Change;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerRefManager;
import dev.wheelhouse.controller.ControllerRefManager.Claim;
import dev.wheelhouse.controller.Measure;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.OwnedObjects;
import dev.wheelhouse.controller.Owners;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controllers.history.RevisionData;
import dev.wheelhouse.controllers.pods.Nodes;
import dev.wheelhouse.controllers.pods.PodEvents;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.informer.Indexer;

import static dev.wheelhouse.api.Absent.orZero;

/**
 * Runs a pod of each DaemonSet on each node that its template selects (upstream:
 * {@code pkg/controller/daemon/daemon_controller.go}). {@code NodePredicates} selects nodes,
 * {@code DaemonSetDecisions}, {@code RollingUpdate} and {@code RevisionHistory} decide.
 */
public final class DaemonSetController extends ObjectController<V1DaemonSet> {
    public static final String NAME = "daemonset-controller";

    /** The index of the pods of DaemonSets by node. */
    private static final String BY_NODE = NAME + "/node";
    private static final Measure STALE_SYNCS = Measure.staleSyncs("daemonset");

    private final Indexer<V1Node> nodes;
    private final Indexer<V1Pod> podsByNode;
    private final OwnedObjects<V1Pod> pods;
    private final OwnedObjects<V1ControllerRevision> revisions;
    private final ResourceClient<V1ControllerRevision> liveRevisions;
    private final ResourceClient<V1DaemonSet> liveSets;
    private final FailedPodsBackoff backoff;

    public DaemonSetController(ControllerContext context) {
        super(NAME, context, ResourceType.DAEMON_SETS, V1DaemonSet.class);
        var history = informerFor(ResourceType.CONTROLLER_REVISIONS, V1ControllerRevision.class);
        var podCache = informerFor(ResourceType.PODS, V1Pod.class);
        var nodeCache = informerFor(ResourceType.NODES, V1Node.class);
        this.nodes = nodeCache.getIndexer();
        this.podsByNode = podCache.getIndexer();
        podsByNode.addIndex(BY_NODE, pod -> {
            V1OwnerReference owner = OwnerReferences.controllerOf(pod.getMetadata());
            return owner == null || !ResourceType.DAEMON_SETS.kind().equals(owner.getKind()) || Pods.node(pod).isEmpty()
                    ? List.of()
                    : List.of(Pods.node(pod));
        });
        this.pods = new OwnedObjects<>(podCache);
        this.revisions = new OwnedObjects<>(history);
        this.liveRevisions = context.client().resource(ResourceType.CONTROLLER_REVISIONS, V1ControllerRevision.class);
        this.liveSets = context.client().resource(ResourceType.DAEMON_SETS, V1DaemonSet.class);
        this.backoff = new FailedPodsBackoff(clock);
        retryWhenAllowed();
        var owners = Owners.in(primary, set -> set.getSpec().getSelector());
        watch(primary).enqueue(ObjectKey::of);
        watch(podCache).first(change -> enqueueWhenAvailable(change, owners)).enqueueFor(owners::keys);
        // A new revision that a DaemonSet controls wakes nobody, because the controller itself made it.
        watch(history).when(change -> !change.isAddition() || change.isEnding()
                || OwnerReferences.controllerOf(change.object().getMetadata()) == null).enqueueFor(owners::keys);
        // The deletion of a node wakes no DaemonSet: the pod garbage collector deletes its pods.
        watch(nodeCache).when(change -> !change.initial()).onAdd().onAlter(node -> node.getMetadata().getLabels())
                .onAlter(Nodes::taints).enqueueEach(this::setsConcernedBy);
    }

    private void enqueueWhenAvailable(Change<V1Pod> change, Owners<V1DaemonSet> owners) {
        V1Pod pod = change.object();
        if (change.alters(Pods::isReady) && Pods.isReady(pod) && !Pods.isDeleting(pod)) {
            change.states().map(owners::controllerOf).forEach(set -> {
                Integer minReadySeconds = set == null ? null : set.getSpec().getMinReadySeconds();
                if (minReadySeconds != null && minReadySeconds > 0) {
                    // One more second, because the times in conditions have no fractions.
                    queue.addAfter(ObjectKey.of(set), Duration.ofSeconds(minReadySeconds + 1L));
                }
            });
        }
    }

    /**
     * The DaemonSets that have to create or to delete a pod on a node that is new or has other labels or taints, or to
     * correct their count of misplaced pods.
     */
    private Stream<ObjectKey> setsConcernedBy(V1Node node) {
        List<V1Pod> here = podsByNode.byIndex(BY_NODE, String.valueOf(node.getMetadata().getName()));
        return primary.getIndexer().list().stream().filter(set -> {
            boolean scheduled = here.stream().anyMatch(pod -> OwnerReferences.isControlledBy(pod, set.getMetadata()));
            boolean misplaced = set.getStatus() != null && set.getStatus().getNumberMisscheduled() != null
                    && set.getStatus().getNumberMisscheduled() > 0;
            return scheduled && misplaced
                    || switch (NodePredicates.of(set.getSpec().getTemplate().getSpec()).on(node)) {
                        case RUN -> !scheduled;
                        case KEEP -> false;
                        case LEAVE, ABSENT -> scheduled;
                    };
        }).map(ObjectKey::of);
    }

    @Override
    protected @Nullable V1LabelSelector selects(ObjectKey key, ResourceType type) {
        V1DaemonSet set = primary.get(key);
        return set == null || !type.equals(ResourceType.PODS) ? null : set.getSpec().getSelector();
    }

    @Override
    protected Measure staleSyncs() {
        return STALE_SYNCS;
    }

    @Override
    protected Result sync(ObjectKey key, V1DaemonSet set, SyncRun run) {
        LabelSelector selector = LabelSelector.of(set.getSpec().getSelector());
        if (selector.isEverything()) {
            run.execute(List.of(DaemonSetDecisions.event(set, EventRecorder.WARNING, "SelectingAll",
                    "This daemon set is selecting all pods. A non-empty selector is required.")));
            return Result.done();
        }
        // The garbage collector may have deleted its revisions already, so no status can be computed either.
        return set.getMetadata().getDeletionTimestamp() != null
                ? Result.done()
                : new Sync(key, set, selector, run).sync();
    }

    private DaemonSetView view(V1DaemonSet set, RevisionHistory history, List<V1Pod> owned) {
        return DaemonSetView.of(set, history.hash(), owned, nodes.list(),
                node -> backoff.delaying(backoffKey(set, node)), clock.now());
    }

    private static FailedPodsBackoff.Key backoffKey(V1DaemonSet set, String node) {
        Long generation = set.getStatus() == null ? null : set.getStatus().getObservedGeneration();
        return new FailedPodsBackoff.Key(set.getMetadata().getUid(), orZero(generation), node);
    }

    /**
     * One sync, in phases: claim and maintain the revisions, claim the pods, create and delete pods, replace pods of
     * older revisions, report the status. Each phase uses the outcome of those before.
     */
    private final class Sync {
        private final ObjectKey key;
        private final V1DaemonSet set;
        private final V1ObjectMeta meta;
        private final LabelSelector selector;
        private final SyncRun run;
        /** The first failure. The phases that depend on the failed one are left out. */
        private @Nullable Result failed;
        private final List<V1Pod> created = new ArrayList<>();
        private final Set<ObjectKey> deleted = new HashSet<>();
        private boolean rolls;

        Sync(ObjectKey key, V1DaemonSet set, LabelSelector selector, SyncRun run) {
            this.key = key;
            this.set = set;
            this.meta = set.getMetadata();
            this.selector = selector;
            this.run = run;
        }

        Result sync() {
            List<V1ControllerRevision> ownRevisions = claim(revisions.candidates(meta),
                    ResourceType.CONTROLLER_REVISIONS);
            RevisionHistory history = failed == null ? record(ownRevisions) : null;
            List<V1Pod> owned = history == null ? List.of() : claim(pods.candidates(meta), ResourceType.PODS);
            if (failed != null || history == null) {
                return failed == null ? Result.done() : failed;
            }
            DaemonSetView view = view(set, history, owned);
            List<Action> last = new ArrayList<>();
            manage(view, last);
            if (failed == null) {
                execute(history.cleanup(set, owned));
            }
            last.addAll(DaemonSetDecisions.report(afterwards(view, history, owned)));
            Result reported = report(last);
            return failed == null ? reported : failed;
        }

        /**
         * The view with the pods that were created, and without the deleted ones that no kubelet has to end. One that
         * the rolling update deletes is replaced by the next sync, and counts until then.
         */
        private DaemonSetView afterwards(DaemonSetView view, RevisionHistory history, List<V1Pod> owned) {
            List<V1Pod> pods = new ArrayList<>(owned);
            pods.addAll(created);
            pods.removeIf(pod -> (Pods.isFinished(pod) || !rolls && Pods.node(pod).isEmpty())
                    && deleted.contains(ObjectKey.ofNew(pod)));
            return created.isEmpty() && pods.size() == owned.size() ? view : view(set, history, pods);
        }

        /** Writes the status. A failed write is tried again on the newest version of the DaemonSet. */
        private Result report(List<Action> actions) {
            Outcome outcome = run.execute(actions);
            if (!(outcome.failed() instanceof Action.UpdateStatus update)) {
                return outcome.toResult();
            }
            try {
                V1DaemonSet live = liveSets.get(key);
                V1DaemonSetStatus status = ((V1DaemonSet) update.object()).getStatus();
                boolean isSame = Objects.equals(live.getMetadata().getUid(), meta.getUid());
                if (!isSame || observed(live.getStatus()) > observed(status)) {
                    return outcome.toResult();
                }
                live.setStatus(status);
                List<Action> again = new ArrayList<>(actions);
                again.replaceAll(action -> action == update
                        ? new Action.UpdateStatus(syncs(), live, update.why())
                        : action);
                return run.execute(again).toResult();
            } catch (KubeApiException e) {
                return Result.retry(e);
            }
        }

        private Outcome execute(List<Action> actions) {
            Outcome outcome = run.execute(actions);
            if (outcome.error() != null && failed == null) {
                failed = outcome.toResult();
            }
            return outcome;
        }

        private static long observed(@Nullable V1DaemonSetStatus status) {
            return status == null ? 0 : orZero(status.getObservedGeneration());
        }

        /** The candidates that the DaemonSet owns after adoptions and releases. */
        private <T extends KubernetesObject> List<T> claim(List<T> candidates, ResourceType type) {
            Claim<T> claim = ControllerRefManager.claim(meta, selector, candidates);
            Outcome outcome = execute(ControllerRefManager.actions(claim, type, syncs(), meta));
            return Stream.concat(claim.owned().stream(), claim.adopted(outcome).stream()).toList();
        }

        /** The history after its writes; null if they failed. */
        private @Nullable RevisionHistory record(List<V1ControllerRevision> owned) {
            RevisionHistory history = RevisionHistory.of(set, owned, pods.controlledBy(meta));
            Outcome outcome = run.execute(history.actions());
            if (outcome.error() == null) {
                return history;
            }
            failed = outcome.toResult();
            return outcome.failed() instanceof Action.Create create && outcome.error().isAlreadyExists()
                    ? nameTaken(history, create)
                    : null;
        }

        /** The name of a new revision is taken: by one of this template, which is used, or by chance. */
        private @Nullable RevisionHistory nameTaken(RevisionHistory history, Action.Create create) {
            try {
                V1ControllerRevision taken = liveRevisions.get(create.target());
                if (RevisionData.of(taken).equals(RevisionData.of(set.getSpec().getTemplate()))) {
                    failed = null;
                    return history.with(taken);
                }
                V1DaemonSet live = liveSets.get(key);
                Integer collisions = collisions(live);
                if (Objects.equals(collisions, collisions(set))) {
                    V1DaemonSetStatus status = live.getStatus() == null ? new V1DaemonSetStatus() : live.getStatus();
                    live.setStatus(status.collisionCount(collisions == null ? 1 : collisions + 1));
                    run.execute(List.of(new Action.UpdateStatus(syncs(), live,
                            "the name " + create.target().name() + " of its revision is taken")));
                }
            } catch (KubeApiException e) {
                failed = Result.retry(e);
            }
            return null;
        }

        private @Nullable Integer collisions(V1DaemonSet of) {
            return of.getStatus() == null ? null : of.getStatus().getCollisionCount();
        }

        /** Creates and deletes pods. A rolling update goes on only while nothing else is to be done. */
        private void manage(DaemonSetView view, List<Action> last) {
            PodChange change = DaemonSetDecisions.manage(view);
            if (change.retryAfter != null) {
                last.add(new Action.RequeueAfter(change.retryAfter));
            }
            apply(view, change);
            rolls = change.isEmpty() && failed == null && view.isRollingUpdate();
            if (rolls) {
                apply(view, RollingUpdate.decide(view));
            }
        }

        private void apply(DaemonSetView view, PodChange change) {
            if (change.problem != null) {
                failed = Result.retry(new IllegalStateException(change.problem));
                return;
            }
            run.effect(() -> change.failedOn.forEach(node -> backoff.next(backoffKey(set, node))));
            run.execute(change.events);
            Outcome creations = execute(DaemonSetDecisions.creations(view, change));
            run.execute(PodEvents.of(syncs(), set, creations.attempts()));
            creations.written().forEach(pod -> created.add((V1Pod) pod));
            Outcome deletions = execute(DaemonSetDecisions.deletions(view, change));
            run.execute(PodEvents.of(syncs(), set, deletions.attempts()));
            deleted.addAll(deletions.done());
        }
    }
}
