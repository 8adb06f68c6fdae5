package dev.wheelhouse.controllers.deployment;

import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.OwnedObjects;
import dev.wheelhouse.controller.Owners;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controllers.pods.Pods;

/**
 * Rolls Deployments out: it creates, resizes and deletes their ReplicaSets (upstream:
 * {@code pkg/controller/deployment/deployment_controller.go}).
 */
public final class DeploymentController extends ObjectController<V1Deployment> {
    /** The name that upstream's kube-controller-manager uses. */
    public static final String NAME = "deployment-controller";

    private final OwnedObjects<V1ReplicaSet> replicaSets;
    private final OwnedObjects<V1Pod> pods;
    private final ResourceClient<V1ReplicaSet> liveReplicaSets;

    /** Registers the event handlers; the caller runs the workers. */
    public DeploymentController(ControllerContext context) {
        super(NAME, context, ResourceType.DEPLOYMENTS, V1Deployment.class);
        var replicaSetInformer = informerFor(ResourceType.REPLICA_SETS, V1ReplicaSet.class);
        var podInformer = informerFor(ResourceType.PODS, V1Pod.class);
        replicaSets = new OwnedObjects<>(replicaSetInformer);
        pods = new OwnedObjects<>(podInformer);
        liveReplicaSets = context.client().resource(ResourceType.REPLICA_SETS, V1ReplicaSet.class);
        var owners = Owners.in(primary, deployment -> deployment.getSpec().getSelector());
        var ownersOfPods = Owners.in(replicaSetInformer, set -> null);
        watch(primary).enqueue(ObjectKey::of);
        watch(replicaSetInformer).enqueueFor(owners::keys);
        // A strategy Recreate waits until the last old pod is gone. Nothing else depends on single pods.
        watch(podInformer).onDelete().enqueueEach(pod -> Stream.ofNullable(ownersOfPods.controllerOf(pod))
                .flatMap(set -> Stream.ofNullable(owners.controllerOf(set)))
                .filter(deployment -> Fenceposts.strategyType(deployment).equals("Recreate")).map(ObjectKey::of));
        retryWhenAllowed();
    }

    @Override
    protected @Nullable V1LabelSelector selects(ObjectKey key, ResourceType type) {
        V1Deployment deployment = primary.get(key);
        return deployment == null || !type.equals(ResourceType.REPLICA_SETS)
                ? null
                : deployment.getSpec().getSelector();
    }

    @Override
    protected Result sync(ObjectKey key, V1Deployment deployment, SyncRun run) {
        DeploymentView view;
        try {
            view = DeploymentView.of(deployment, replicaSets.candidates(deployment.getMetadata()), this::unfinishedPods,
                    clock.now());
        } catch (IllegalArgumentException invalidSelector) {
            return Result.terminal(
                    "deployment " + key + " has an invalid spec.selector: " + invalidSelector.getMessage());
        }
        Outcome outcome = run.execute(DeploymentDecision.decide(view));
        return outcome.failed() instanceof Action.Create create && outcome.error() != null
                ? createFailed(view, create, outcome.error(), run)
                : outcome.toResult();
    }

    private int unfinishedPods(V1ReplicaSet replicaSet) {
        return (int) pods.controlledBy(replicaSet.getMetadata()).stream().filter(pod -> !Pods.isFinished(pod)).count();
    }

    private Result createFailed(DeploymentView view, Action.Create create, KubeApiException error, SyncRun run) {
        if (error.isNamespaceTerminating()) {
            return Result.done();
        }
        List<Action> next;
        if (error.isAlreadyExists()) {
            V1ReplicaSet live;
            try {
                live = liveReplicaSets.get(create.target());
            } catch (KubeApiException unread) {
                return Result.retry(unread);
            }
            next = DeploymentDecision.afterNameTaken(view, live);
        } else {
            next = DeploymentDecision.afterCreateFailed(view, create.target().name(), error.statusMessage());
        }
        Outcome outcome = run.execute(next);
        return outcome.succeeded() && error.isAlreadyExists() ? outcome.toResult() : Result.retry(error);
    }
}
