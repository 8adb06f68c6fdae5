package dev.wheelhouse.controllers.service;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1EndpointSlice;
import io.kubernetes.client.openapi.models.V1Endpoints;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Service;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.workqueue.RateLimits;

/**
 * Copies the Endpoints that users write for Services without a selector into EndpointSlices (upstream:
 * {@code pkg/controller/endpointslicemirroring}). {@code MirrorDecisions} decides. Endpoints without such a Service,
 * with the label that forbids it, or that are the lock of an election, have no slices.
 */
public final class EndpointSliceMirroringController extends ObjectController<V1Endpoints> {
    public static final String NAME = "endpointslice-mirroring-controller";

    private static final RateLimits LIMITS = new RateLimits(Duration.ofSeconds(1), Duration.ofSeconds(100), 10, 100);

    private final SharedIndexInformer<V1EndpointSlice> slices;
    private final SharedIndexInformer<V1Service> services;
    private final int most;
    private final SliceTracker tracker = new SliceTracker();
    private final SliceMetrics metrics;

    public EndpointSliceMirroringController(ControllerContext context) {
        super(NAME, "endpoint-slice-mirroring-controller", context, LIMITS, null, ResourceType.ENDPOINTS,
                V1Endpoints.class);
        this.slices = informerFor(ResourceType.ENDPOINT_SLICES, V1EndpointSlice.class);
        this.services = informerFor(ResourceType.SERVICES, V1Service.class);
        this.most = context.options().get(ControllerOptions.Endpoints.DEFAULTS).mirroringMaxPerSubset();
        this.metrics = SliceMetrics.ofMirrors(metrics());
        Duration batchPeriod = context.options().get(ControllerOptions.Endpoints.DEFAULTS)
                .mirroringUpdatesBatchPeriod();
        watch(primary).when(change -> change.states().anyMatch(object -> mayBeMirrored(object.getMetadata())))
                .enqueue(ObjectKey::of);
        watch(services).when(change -> change.isUpdate()
                ? change.alters(ServicePods::hasSelector)
                : !ServicePods.hasSelector(change.object())).enqueue(ObjectKey::of);
        watch(slices).after(change -> change.initial() ? Duration.ZERO : batchPeriod)
                .enqueueFor(new ServicesOfSlices(MirrorDecisions.MANAGER, tracker)::keys);
    }

    @Override
    protected Result gone(ObjectKey key, SyncRun run) {
        return sync(key, null, run);
    }

    @Override
    protected Result sync(ObjectKey key, @Nullable V1Endpoints object, SyncRun run) {
        long start = clock.nanoTime();
        V1Service service = services.get(key);
        Result result = object != null && mayBeMirrored(object.getMetadata()) && service != null
                && !ServicePods.hasSelector(service) ? mirror(key, object, run) : end(key, run);
        run.effect(() -> metrics.took(clock.nanoTime() - start));
        return result;
    }

    private static boolean mayBeMirrored(V1ObjectMeta meta) {
        return !"true".equals(Metadata.labels(meta).get(WellKnown.SKIP_MIRROR)) && !WellKnown.isElection(meta);
    }

    private List<V1EndpointSlice> mirrors(ObjectKey key) {
        return EndpointSliceController.slices(slices, key, MirrorDecisions.MANAGER);
    }

    private Result mirror(ObjectKey key, V1Endpoints object, SyncRun run) {
        MirrorDecisions.Decision decision = MirrorDecisions.decide(object, mirrors(key), most);
        run.execute(decision.events());
        Outcome outcome = run.execute(decision.writes().actions());
        run.effect(() -> {
            decision.unchanged().forEach(slice -> tracker.saw(key, slice));
            tracker.wrote(key, outcome);
            metrics.mirrored(decision.updated(), decision.skipped());
            metrics.changes(decision.counts());
            metrics.count(key, decision.counts());
            metrics.wrote(outcome);
        });
        return outcome.error() != null && outcome.error().isNamespaceTerminating()
                ? Result.done()
                : outcome.toResult();
    }

    /** Deletes the mirrors of Endpoints that are not mirrored any more. */
    private Result end(ObjectKey key, SyncRun run) {
        run.effect(() -> {
            tracker.forget(key);
            metrics.count(key, null);
        });
        List<V1EndpointSlice> left = mirrors(key);
        if (left.isEmpty()) {
            run.forget();
        }
        SliceWrites writes = new SliceWrites();
        left.forEach(slice -> writes.delete(slice, "its Endpoints are not mirrored"));
        return run.execute(writes.actions()).toResult();
    }

    @Override
    protected V1LabelSelector selects(ObjectKey key, ResourceType type) {
        return new V1LabelSelector().putMatchLabelsItem(WellKnown.SERVICE, key.name())
                .putMatchLabelsItem(WellKnown.MANAGED_BY, MirrorDecisions.MANAGER);
    }
}
