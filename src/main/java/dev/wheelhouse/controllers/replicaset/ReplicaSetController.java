package dev.wheelhouse.controllers.replicaset;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

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
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Attempt;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerRefManager;
import dev.wheelhouse.controller.Expectations;
import dev.wheelhouse.controller.KeyedController;
import dev.wheelhouse.controller.Measure;
import dev.wheelhouse.controller.OwnedObjects;
import dev.wheelhouse.controller.Plannable;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controllers.pods.Pods;

/**
 * Keeps the number of pods of each ReplicaSet at its {@code spec.replicas} (upstream:
 * {@code pkg/controller/replicaset/replica_set.go}). {@code ReplicaSetDecisions} decides, {@code ReplicaSetHandlers}
 * enqueues keys.
 */
public final class ReplicaSetController extends KeyedController<ObjectKey> implements Plannable {
    /** The name that upstream's kube-controller-manager uses. */
    public static final String NAME = "replicaset-controller";
    /** The name of the controller of ReplicationControllers. */
    public static final String REPLICATION_CONTROLLERS = "replicationcontroller-controller";

    private static final Measure STALE_SYNCS = Measure.staleSyncs("replicaset");
    private static final Measure AGE_RATIO = Measure.histogram("replicaset_controller_sorting_deletion_age_ratio",
            "Age of a ready pod that is chosen for deletion, in ages of the youngest ready pod", 0.25, 6);

    private final PodSets<?> sets;
    private final OwnedObjects<V1Pod> pods;
    private final Expectations expectations;

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
        this.expectations = new Expectations(clock);
        retryWhenAllowed();
        new ReplicaSetHandlers(sets, queue, expectations).register(podCache);
    }

    @Override
    protected @Nullable Measure staleSyncs() {
        return name().equals(NAME) ? STALE_SYNCS : null;
    }

    @Override
    protected Result sync(ObjectKey key) {
        return syncReplicaSet(key);
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
    Result syncReplicaSet(ObjectKey key) {
        V1ReplicaSet set = sets.get(key);
        if (set == null) {
            forget(key);
            return Result.done();
        }
        LabelSelector selector;
        try {
            selector = LabelSelector.of(set.getSpec().getSelector());
        } catch (IllegalArgumentException e) {
            return Result.terminal("spec.selector: " + e.getMessage());
        }
        ReplicaSetView view = view(set, selector);
        Outcome claimed = executor.execute(key, ReplicaSetDecisions.claim(view));
        if (!claimed.succeeded()) {
            return claimed.toResult();
        }
        ReplicaSetView claimedView = view.withAdopted(adopted(view, claimed));
        Outcome scaled = scale(key, claimedView, ReplicaSetDecisions.scale(claimedView));
        return report(key, claimedView, scaled);
    }

    @Override
    public ResourceType plansFor() {
        return sets.type();
    }

    @Override
    public boolean knows(ObjectKey key) {
        return sets.get(key) != null;
    }

    @Override
    public List<Action> plan(ObjectKey key) {
        V1ReplicaSet set = sets.get(key);
        return set == null
                ? List.of()
                : ReplicaSetDecisions.decide(view(set, LabelSelector.of(set.getSpec().getSelector())));
    }

    private ReplicaSetView view(V1ReplicaSet set, LabelSelector selector) {
        V1ObjectMeta meta = set.getMetadata();
        List<V1Pod> candidates = pods.candidates(meta);
        List<V1Pod> terminating = candidates.stream()
                .filter(pod -> Pods.isTerminating(pod) && OwnerReferences.isControlledBy(pod, meta)
                        && selector.matches(pod.getMetadata().getLabels()))
                .toList();
        var claim = ControllerRefManager.claim(meta, selector, Pods.active(candidates));
        ReplicaSetView view = new ReplicaSetView(sets.type(), set, claim, terminating, Map.of(),
                expectations.areMet(meta.getUid()), clock.now());
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

    /** The pods that were adopted. A pod that was deleted before its adoption does not count. */
    private List<V1Pod> adopted(ReplicaSetView view, Outcome claimed) {
        Set<ObjectKey> done = claimed.attempts().stream().filter(Attempt::done).map(a -> a.write().target())
                .collect(Collectors.toSet());
        return view.claim().adopt().stream().filter(pod -> done.contains(ObjectKey.of(pod))).toList();
    }

    /**
     * Creates or deletes pods. The expectations are set before the writes, because handlers may observe the result at
     * once.
     */
    private Outcome scale(ObjectKey key, ReplicaSetView view, ReplicaChange change) {
        boolean expects = executor.writes();
        String uid = view.set().getMetadata().getUid();
        if (expects && change.creations() > 0) {
            expectations.expectCreations(uid, change.creations());
        } else if (expects && !change.victims().isEmpty()) {
            expectations.expectDeletions(uid, uids(change.victims()));
        }
        Outcome outcome = executor.execute(key, change.actions());
        ReplicaSetDecisions.ageRatios(view, change.victims()).forEach(ratio -> record(AGE_RATIO, ratio));
        if (expects) {
            long made = outcome.attempts().stream().filter(Attempt::done).count();
            expectations.creationsObserved(uid, change.creations() - (int) Math.min(made, change.creations()));
            Set<ObjectKey> deleted = outcome.attempts().stream().filter(Attempt::done).map(a -> a.write().target())
                    .collect(Collectors.toSet());
            change.victims().stream().filter(victim -> !deleted.contains(ObjectKey.of(victim)))
                    .forEach(victim -> expectations.deletionObserved(uid, victim.getMetadata().getUid()));
        }
        executor.execute(key, ReplicaSetDecisions.events(view, outcome.attempts()));
        return outcome;
    }

    private Result report(ObjectKey key, ReplicaSetView view, Outcome scaled) {
        List<Action> actions = new ArrayList<>(
                ReplicaSetDecisions.report(view, ReplicaSetDecisions.failure(view, scaled.attempts())));
        Duration untilMet = expectations.untilMet(view.set().getMetadata().getUid());
        if (!untilMet.isZero()) {
            actions.add(new Action.RequeueAfter(untilMet));
        }
        Outcome reported = executor.execute(key, actions);
        boolean failed = scaled.error() != null && !scaled.error().isNamespaceTerminating();
        return reported.succeeded() && failed ? scaled.toResult() : reported.toResult();
    }

    private static List<String> uids(List<V1Pod> pods) {
        return pods.stream().map(pod -> pod.getMetadata().getUid()).toList();
    }
}
