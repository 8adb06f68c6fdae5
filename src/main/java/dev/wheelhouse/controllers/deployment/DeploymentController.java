package dev.wheelhouse.controllers.deployment;

import java.util.List;

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
import dev.wheelhouse.controller.OwnKeys;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controllers.pods.CachedOwners;
import dev.wheelhouse.controllers.pods.OwnerKeys;
import dev.wheelhouse.informer.ResourceEventHandler;

/**
 * Rolls Deployments out: it creates, resizes and deletes their ReplicaSets (upstream:
 * {@code pkg/controller/deployment/deployment_controller.go}).
 */
public final class DeploymentController extends ObjectController<V1Deployment> {
    /** The name that upstream's kube-controller-manager uses. */
    public static final String NAME = "deployment-controller";

    private final DeploymentCaches caches;
    private final ResourceClient<V1ReplicaSet> replicaSets;

    /** Registers the event handlers; the caller runs the workers. */
    public DeploymentController(ControllerContext context) {
        super(NAME, context, ResourceType.DEPLOYMENTS, V1Deployment.class);
        var replicaSetInformer = informerFor(ResourceType.REPLICA_SETS, V1ReplicaSet.class);
        var podInformer = informerFor(ResourceType.PODS, V1Pod.class);
        replicaSets = context.client().resource(ResourceType.REPLICA_SETS, V1ReplicaSet.class);
        caches = new DeploymentCaches(primary, replicaSetInformer, podInformer);
        primary.addEventHandler(new OwnKeys<>(queue));
        replicaSetInformer.addEventHandler(new OwnerKeys<>(
                new CachedOwners<>(primary, deployment -> deployment.getSpec().getSelector()), queue));
        podInformer.addEventHandler(new OfPods());
        retryWhenAllowed();
    }

    /** A strategy Recreate waits until the last old pod is gone. Nothing else depends on single pods. */
    private final class OfPods implements ResourceEventHandler<V1Pod> {
        @Override
        public void onDelete(V1Pod pod, boolean finalStateUnknown) {
            V1Deployment deployment = caches.deploymentOf(pod);
            if (deployment != null && Fenceposts.strategyType(deployment).equals("Recreate")) {
                queue.add(ObjectKey.of(deployment));
            }
        }
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
            view = caches.view(deployment, clock.now());
        } catch (IllegalArgumentException invalidSelector) {
            return Result.terminal(
                    "deployment " + key + " has an invalid spec.selector: " + invalidSelector.getMessage());
        }
        Outcome outcome = run.execute(DeploymentDecision.decide(view));
        return outcome.failed() instanceof Action.Create create && outcome.error() != null
                ? createFailed(view, create, outcome.error(), run)
                : outcome.toResult();
    }

    private Result createFailed(DeploymentView view, Action.Create create, KubeApiException error, SyncRun run) {
        if (error.isNamespaceTerminating()) {
            return Result.done();
        }
        List<Action> next;
        if (error.isAlreadyExists()) {
            V1ReplicaSet live;
            try {
                live = replicaSets.get(create.target());
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
