package dev.wheelhouse.controllers.replicaset;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1ReplicationController;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerRefManager;
import dev.wheelhouse.controller.KeyedController;
import dev.wheelhouse.controller.Measure;
import dev.wheelhouse.controller.OwnedObjects;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controllers.pods.Pods;

/**
 * Keeps the number of pods of each ReplicaSet at its {@code spec.replicas} (upstream:
 * {@code pkg/controller/replicaset/replica_set.go}). {@code ReplicaSetDecisions} decides. Upstream's expectations have
 * no counterpart here: a key is synced again only after the caches show its creations and deletions.
 */
public final class ReplicaSetController extends KeyedController<ObjectKey> {
    /** The name that upstream's kube-controller-manager uses. */
    public static final String NAME = "replicaset-controller";
    /** The name of the controller of ReplicationControllers. */
    public static final String REPLICATION_CONTROLLERS = "replicationcontroller-controller";

    private static final Measure STALE_SYNCS = Measure.staleSyncs("replicaset");
    private static final Measure AGE_RATIO = Measure.histogram("replicaset_controller_sorting_deletion_age_ratio",
            "Age of a ready pod that is chosen for deletion, in ages of the youngest ready pod", 0.25, 6);

    private final PodSets<?> sets;
    private final OwnedObjects<V1Pod> pods;

    /** Registers the event handlers; the caller runs the workers. */
    public ReplicaSetController(ControllerContext context) {
        this(NAME, NAME, context);
    }

    /** The controller of ReplicationControllers (upstream: {@code pkg/controller/replication}). */
    public static ReplicaSetController ofReplicationControllers(ControllerContext context) {
        return new ReplicaSetController(REPLICATION_CONTROLLERS, "replication-controller", context);
    }

    private ReplicaSetController(String name, String eventSource, ControllerContext context) {
        super(name, eventSource, context);
        this.sets = name.equals(NAME)
                ? new PodSets<>(informerFor(ResourceType.REPLICA_SETS, V1ReplicaSet.class), set -> set)
                : new PodSets<>(informerFor(ResourceType.REPLICATION_CONTROLLERS, V1ReplicationController.class),
                        ReplicationControllers::toReplicaSet);
        var podCache = informerFor(ResourceType.PODS, V1Pod.class);
        this.pods = new OwnedObjects<>(podCache);
        retryWhenAllowed();
        watch(sets.cache()).enqueue(ObjectKey::of);
        watch(podCache).enqueueFor(sets.owners()::keys);
    }

    @Override
    protected @Nullable Measure staleSyncs() {
        return name().equals(NAME) ? STALE_SYNCS : null;
    }

    @Override
    public ResourceType syncs() {
        return sets.type();
    }

    @Override
    protected @Nullable ObjectKey keyOf(String groupResource, ObjectKey object) {
        return sets.type().groupResource().equals(groupResource) && sets.get(object) != null ? object : null;
    }

    @Override
    protected @Nullable V1LabelSelector selects(ObjectKey key, ResourceType type) {
        V1ReplicaSet set = sets.get(key);
        return set == null || !type.equals(ResourceType.PODS) ? null : set.getSpec().getSelector();
    }

    /**
     * Syncs one set in three phases: claim pods, create or delete pods, report the status. Each phase uses the outcome
     * of the one before.
     */
    @Override
    protected Result sync(ObjectKey key, SyncRun run) {
        V1ReplicaSet set = sets.get(key);
        if (set == null) {
            run.forget();
            return Result.done();
        }
        LabelSelector selector;
        try {
            selector = LabelSelector.of(set.getSpec().getSelector());
        } catch (IllegalArgumentException e) {
            return Result.terminal("spec.selector: " + e.getMessage());
        }
        ReplicaSetView view = view(set, selector);
        Outcome claimed = run.execute(ReplicaSetDecisions.claim(view));
        if (!claimed.succeeded()) {
            return claimed.toResult();
        }
        ReplicaSetView claimedView = view.withAdopted(view.claim().adopted(claimed));
        Outcome scaled = scale(claimedView, run);
        Outcome reported = run.execute(
                ReplicaSetDecisions.report(claimedView, ReplicaSetDecisions.failure(scaled.attempts())));
        boolean failed = scaled.error() != null && !scaled.error().isNamespaceTerminating();
        return reported.succeeded() && failed ? scaled.toResult() : reported.toResult();
    }

    private ReplicaSetView view(V1ReplicaSet set, LabelSelector selector) {
        V1ObjectMeta meta = set.getMetadata();
        List<V1Pod> candidates = pods.candidates(meta);
        List<V1Pod> terminating = candidates.stream()
                .filter(pod -> Pods.isTerminating(pod) && OwnerReferences.isControlledBy(pod, meta)
                        && selector.matches(pod.getMetadata().getLabels()))
                .toList();
        var claim = ControllerRefManager.claim(meta, selector, Pods.active(candidates));
        ReplicaSetView view = new ReplicaSetView(sets.type(), set, claim, terminating, Map.of(), clock.now());
        V1OwnerReference owner = OwnerReferences.controllerOf(meta);
        return owner == null || claim.owned().size() + claim.adopt().size() <= view.wanted()
                ? view
                : view.withRelated(activePerNode(sets.controlledBy(owner.getUid())));
    }

    /** The number of active pods of these sets, by node. */
    private Map<String, Integer> activePerNode(List<V1ReplicaSet> related) {
        Map<String, Integer> perNode = new HashMap<>();
        for (V1ReplicaSet set : related) {
            for (V1Pod pod : pods.controlledBy(set.getMetadata())) {
                if (Pods.isActive(pod)) {
                    perNode.merge(Pods.node(pod), 1, Integer::sum);
                }
            }
        }
        return perNode;
    }

    /** Creates or deletes pods, and says so in Events. */
    private static Outcome scale(ReplicaSetView view, SyncRun run) {
        List<V1Pod> victims = ReplicaSetDecisions.victims(view);
        Outcome outcome = run.execute(
                victims.isEmpty()
                        ? ReplicaSetDecisions.creations(view)
                        : ReplicaSetDecisions.deletions(view, victims));
        ReplicaSetDecisions.ageRatios(view, victims).forEach(ratio -> run.count(AGE_RATIO, ratio));
        run.execute(ReplicaSetDecisions.events(view, outcome.attempts()));
        return outcome;
    }
}
