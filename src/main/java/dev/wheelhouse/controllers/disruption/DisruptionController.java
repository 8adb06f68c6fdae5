package dev.wheelhouse.controllers.disruption;

import java.util.List;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1ReplicationController;
import io.kubernetes.client.openapi.models.V1StatefulSet;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.KeyedController;
import dev.wheelhouse.controller.Plannable;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.workqueue.Priority;

/**
 * Maintains the status of each PodDisruptionBudget (upstream: {@code pkg/controller/disruption/disruption.go}). A
 * change of a budget, or of a pod that its selector matches, triggers a new count. {@code DisruptionDecisions} computes
 * the status.
 */
public final class DisruptionController extends KeyedController implements Plannable {
    /** The name that upstream's kube-controller-manager uses. */
    public static final String NAME = "disruption-controller";

    private static final ResourceType STATEFUL_SETS = new ResourceType("apps", "v1", "statefulsets", "StatefulSet",
            true);

    private final SharedIndexInformer<V1PodDisruptionBudget> budgets;
    private final SharedIndexInformer<V1Pod> pods;
    private final OwnerScales owners;

    /** Registers the event handlers; the caller runs the workers. */
    public DisruptionController(ControllerContext context) {
        super(NAME, "controllermanager", context);
        this.budgets = informerFor(DisruptionDecisions.BUDGETS, V1PodDisruptionBudget.class);
        this.pods = informerFor(ResourceType.PODS, V1Pod.class);
        this.owners = new OwnerScales(informerFor(ResourceType.REPLICA_SETS, V1ReplicaSet.class),
                informerFor(ResourceType.DEPLOYMENTS, V1Deployment.class),
                informerFor(STATEFUL_SETS, V1StatefulSet.class),
                informerFor(ResourceType.REPLICATION_CONTROLLERS, V1ReplicationController.class));
        budgets.addEventHandler(new OfBudgets());
        pods.addEventHandler(new OfPods());
    }

    @Override
    protected Result sync(ObjectKey key) {
        V1PodDisruptionBudget budget = budgets.get(key);
        if (budget == null) {
            forget(key);
            return Result.done();
        }
        return executor.execute(key, DisruptionDecisions.decide(view(budget))).toResult();
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

    @Override
    public ResourceType plansFor() {
        return DisruptionDecisions.BUDGETS;
    }

    @Override
    public boolean knows(ObjectKey key) {
        return budgets.get(key) != null;
    }

    @Override
    public List<Action> plan(ObjectKey key) {
        V1PodDisruptionBudget budget = budgets.get(key);
        return budget == null ? List.of() : DisruptionDecisions.decide(view(budget));
    }

    private final class OfBudgets implements ResourceEventHandler<V1PodDisruptionBudget> {
        @Override
        public void onAdd(V1PodDisruptionBudget budget, boolean initial) {
            queue.add(ObjectKey.of(budget), initial ? Priority.BACKGROUND : Priority.LIVE);
        }

        @Override
        public void onUpdate(V1PodDisruptionBudget before, V1PodDisruptionBudget after) {
            queue.add(ObjectKey.of(after));
        }

        @Override
        public void onDelete(V1PodDisruptionBudget budget, boolean finalStateUnknown) {
            queue.add(ObjectKey.of(budget));
        }
    }

    private final class OfPods implements ResourceEventHandler<V1Pod> {
        @Override
        public void onAdd(V1Pod pod, boolean initial) {
            wakeBudgetsOf(pod, initial ? Priority.BACKGROUND : Priority.LIVE);
        }

        @Override
        public void onUpdate(V1Pod before, V1Pod after) {
            wakeBudgetsOf(before, Priority.LIVE);
            wakeBudgetsOf(after, Priority.LIVE);
        }

        @Override
        public void onDelete(V1Pod pod, boolean finalStateUnknown) {
            wakeBudgetsOf(pod, Priority.LIVE);
        }

        private void wakeBudgetsOf(V1Pod pod, Priority priority) {
            for (V1PodDisruptionBudget budget : budgets.getIndexer()
                    .list(String.valueOf(pod.getMetadata().getNamespace()))) {
                if (covers(budget, pod)) {
                    queue.add(ObjectKey.of(budget), priority);
                }
            }
        }
    }
}
