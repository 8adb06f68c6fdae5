package dev.wheelhouse.controllers.service;

import java.time.Duration;
import java.util.List;

import io.kubernetes.client.openapi.models.V1Endpoints;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Service;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerOptions;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.OwnKeys;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.workqueue.Priority;
import dev.wheelhouse.workqueue.RateLimits;

/**
 * Lists the addresses of a Service's pods in Endpoints of the same name (upstream:
 * {@code pkg/controller/endpoint/endpoints_controller.go}). Endpoints are for older clients; they have at most 1000
 * addresses of one family. {@code EndpointsDecisions} decides. Endpoints without a Service are deleted when their
 * Service is, and at the start, unless they are the lock of an election.
 */
public final class EndpointsController extends ObjectController<V1Service> {
    public static final String NAME = "endpoints-controller";

    private final SharedIndexInformer<V1Pod> pods;
    private final SharedIndexInformer<V1Endpoints> endpoints;
    private final TriggerTimes triggerTimes = new TriggerTimes();

    public EndpointsController(ControllerContext context) {
        super(NAME, "endpoint-controller", context, RateLimits.CONTROLLER, null, ResourceType.SERVICES,
                V1Service.class);
        this.pods = informerFor(ResourceType.PODS, V1Pod.class);
        this.endpoints = informerFor(ResourceType.ENDPOINTS, V1Endpoints.class);
        Duration batchPeriod = context.options().get(ControllerOptions.Endpoints.DEFAULTS).updatesBatchPeriod();
        primary.addEventHandler(new OwnKeys<>(queue));
        pods.addEventHandler(new ServicesOfPods(primary, service -> queue.addAfter(service, batchPeriod)));
        endpoints.addEventHandler(new OfEndpoints());
    }

    @Override
    protected Result gone(ObjectKey key, SyncRun run) throws InterruptedException {
        run.effect(() -> triggerTimes.forget(key));
        V1Endpoints left = endpoints.get(key);
        if (left == null) {
            return super.gone(key, run);
        }
        V1ObjectMeta meta = left.getMetadata();
        return run.execute(List.of(new Action.Delete(ResourceType.ENDPOINTS, key,
                new Deletion(null, meta.getUid(), meta.getResourceVersion(), null), "the Service is gone"))).toResult();
    }

    @Override
    protected Result sync(ObjectKey key, V1Service service, SyncRun run) {
        if (!ServicePods.isOurs(service)) {
            return Result.done();
        }
        List<V1Pod> selected = ServicePods.of(service, pods.getIndexer().list(key.namespace()));
        Outcome outcome = run.execute(EndpointsDecisions.decide(service, selected, endpoints.get(key),
                triggerTimes.next(service, selected, run)));
        KubeApiException error = outcome.error();
        Action.Write failed = outcome.failed();
        if (error == null || error.isNamespaceTerminating()) {
            return Result.done();
        }
        if (failed instanceof Action.Create create) {
            run.execute(List.of(new Action.Event(ResourceType.ENDPOINTS, create.object(),
                    EventRecorder.WARNING, "FailedToCreateEndpoint",
                    "Failed to create endpoint for service " + key + ": " + error.statusMessage())));
        } else if (failed instanceof Action.Update update) {
            run.execute(List.of(new Action.Event(ResourceType.ENDPOINTS, update.object(),
                    EventRecorder.WARNING, "FailedToUpdateEndpoint",
                    "Failed to update endpoint " + key + ": " + error.statusMessage())));
        }
        return outcome.toResult();
    }

    /**
     * Endpoints that exist at the start may be left from a Service that is gone. The controller does not correct the
     * changes of others, as upstream.
     */
    private final class OfEndpoints implements ResourceEventHandler<V1Endpoints> {
        @Override
        public void onAdd(V1Endpoints object, boolean initial) {
            if (initial && !WellKnown.isElection(object.getMetadata())) {
                queue.add(ObjectKey.of(object), Priority.BACKGROUND);
            }
        }

        @Override
        public void onDelete(V1Endpoints object, boolean finalStateUnknown) {
            queue.add(ObjectKey.of(object));
        }
    }
}
