package dev.wheelhouse.controllers.disruption;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1ReplicationController;
import io.kubernetes.client.openapi.models.V1StatefulSet;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.Change;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.ResourceMapper;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.ScaleClient;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.workqueue.RateLimits;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * Maintains the status of each PodDisruptionBudget (upstream: {@code pkg/controller/disruption/disruption.go}). A
 * change of a budget, or of a pod that its selector matches, triggers a new count. {@code DisruptionDecisions} computes
 * the status. A second queue has the pods that were to be disrupted: {@code StaleDisruption} ends their condition if
 * they were not.
 */
public final class DisruptionController extends ObjectController<V1PodDisruptionBudget> {
    public static final String NAME = "disruption-controller";

    private final SharedIndexInformer<V1Pod> pods;
    private final OwnerScales owners;
    private final EventRecorder events;
    private final WorkQueue<ObjectKey> stalePods;

    public DisruptionController(ControllerContext context) {
        super(NAME, "controllermanager", context, RateLimits.CONTROLLER, 1, ResourceType.POD_DISRUPTION_BUDGETS,
                V1PodDisruptionBudget.class);
        this.pods = informerFor(ResourceType.PODS, V1Pod.class);
        this.owners = new OwnerScales(informerFor(ResourceType.REPLICA_SETS, V1ReplicaSet.class),
                informerFor(ResourceType.DEPLOYMENTS, V1Deployment.class),
                informerFor(ResourceType.STATEFUL_SETS, V1StatefulSet.class),
                informerFor(ResourceType.REPLICATION_CONTROLLERS, V1ReplicationController.class),
                new ScaleClient(context.client(), new ResourceMapper(context.client(), clock)));
        this.events = events("controllermanager");
        this.stalePods = addQueue("stale_pod_disruption", this::endStaleDisruption);
        watch(primary).enqueue(ObjectKey::of);
        watch(pods).first(this::watchDisruption)
                .enqueueFor(change -> (change.alters(pod -> pod.getMetadata().getLabels())
                        ? change.states()
                        : Stream.of(change.object())).flatMap(this::budgetsOf));
    }

    private void watchDisruption(Change<V1Pod> change) {
        Duration left = StaleDisruption.untilStale(change.object(), clock.now());
        if (left != null) {
            stalePods.addAfter(ObjectKey.of(change.object()), left);
        }
    }

    private Stream<ObjectKey> budgetsOf(V1Pod pod) {
        List<ObjectKey> covering = primary.getIndexer().list(String.valueOf(pod.getMetadata().getNamespace())).stream()
                .filter(budget -> covers(budget, pod)).map(ObjectKey::of).toList();
        if (covering.size() > 1) {
            events.event(ResourceType.PODS, pod, EventRecorder.WARNING, "MultiplePodDisruptionBudgets", "Pod \""
                    + pod.getMetadata().getNamespace() + "\"/\"" + pod.getMetadata().getName()
                    + "\" matches multiple PodDisruptionBudgets.  Chose \"" + covering.getFirst().name()
                    + "\" arbitrarily.");
        }
        return covering.stream();
    }

    @Override
    protected Result sync(ObjectKey key, V1PodDisruptionBudget budget, SyncRun run) {
        DisruptionView view = view(budget);
        Outcome outcome = run.execute(DisruptionDecisions.decide(view));
        KubeApiException error = outcome.error();
        if (error == null || error.isConflict() || error.isUnknownOutcome()) {
            return outcome.toResult();
        }
        Outcome safe = run.execute(DisruptionDecisions.failSafe(view, error.statusMessage()));
        // Without a write there is no event that leads to the next sync. Upstream forgets the budget then.
        return safe.succeeded() && safe.written().isEmpty() ? Result.retry(error) : safe.toResult();
    }

    /** Ends the condition of a pod that was to be disrupted and was not. */
    private Result endStaleDisruption(ObjectKey key, SyncRun run) {
        V1Pod pod = pods.get(key);
        Duration left = pod == null ? null : StaleDisruption.untilStale(pod, clock.now());
        if (pod == null || left == null) {
            return Result.done();
        }
        return left.isPositive()
                ? Result.requeueAfter(left)
                : run.execute(List.of(StaleDisruption.end(pod, clock.now()))).toResult();
    }

    private DisruptionView view(V1PodDisruptionBudget budget) {
        List<V1Pod> covered = pods.getIndexer().list(String.valueOf(budget.getMetadata().getNamespace())).stream()
                .filter(pod -> covers(budget, pod)).toList();
        DisruptionView.Scale scale = DisruptionDecisions.needsScale(budget)
                ? owners.of(covered)
                : new DisruptionView.Scale(0, List.of(), null);
        return new DisruptionView(budget, covered, scale, clock.now());
    }

    /** Whether a budget covers a pod. A budget without a selector covers nothing; an empty selector covers all pods. */
    private static boolean covers(V1PodDisruptionBudget budget, V1Pod pod) {
        if (budget.getSpec() == null || budget.getSpec().getSelector() == null) {
            return false;
        }
        try {
            return LabelSelector.of(budget.getSpec().getSelector()).matches(pod.getMetadata().getLabels());
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
