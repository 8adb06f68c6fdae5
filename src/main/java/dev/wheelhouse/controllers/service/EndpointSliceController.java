package dev.wheelhouse.controllers.service;

import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.kubernetes.client.openapi.models.V1EndpointSlice;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Service;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.workqueue.RateLimits;

/**
 * Lists the addresses of a Service's pods in EndpointSlices (upstream:
 * {@code pkg/controller/endpointslice/endpointslice_controller.go}). {@code SliceDecisions} decides. The owner
 * references of the slices let the garbage collector delete them with their Service. The slices of a pod whose node the
 * cache does not have are written without the pod, and the Service is tried again.
 */
public final class EndpointSliceController extends ObjectController<V1Service> {
    public static final String NAME = "endpointslice-controller";

    /** The wait after a change of a slice, in which more changes may come. */
    private static final Duration LEAST_WAIT = Duration.ofSeconds(1);
    private static final RateLimits LIMITS = new RateLimits(Duration.ofSeconds(1), Duration.ofSeconds(1000), 10, 100);

    private final SharedIndexInformer<V1Pod> pods;
    private final SharedIndexInformer<V1EndpointSlice> slices;
    private final TopologyCache zones;
    private final int most;
    private final TriggerTimes triggerTimes = new TriggerTimes();
    private final SliceTracker tracker = new SliceTracker();
    private final SliceMetrics metrics;
    /** The Services that have hints by topology. */
    private final Map<ObjectKey, ZoneHints> hints = new ConcurrentHashMap<>();

    public EndpointSliceController(ControllerContext context) {
        super(NAME, "endpoint-slice-controller", context, LIMITS, null, ResourceType.SERVICES, V1Service.class);
        this.pods = informerFor(ResourceType.PODS, V1Pod.class);
        this.slices = informerFor(ResourceType.ENDPOINT_SLICES, V1EndpointSlice.class);
        SharedIndexInformer<V1Node> nodes = informerFor(ResourceType.NODES, V1Node.class);
        this.zones = new TopologyCache(nodes, this::wakeOverloaded);
        this.most = context.options().get(ControllerOptions.Endpoints.DEFAULTS).maxPerSlice();
        this.metrics = SliceMetrics.ofServices(metrics());
        Duration batchPeriod = context.options().get(ControllerOptions.Endpoints.DEFAULTS).sliceUpdatesBatchPeriod();
        Duration wait = batchPeriod.compareTo(LEAST_WAIT) > 0 ? batchPeriod : LEAST_WAIT;
        watch(primary).enqueue(ObjectKey::of);
        watch(pods).after(batchPeriod).enqueueFor(new ServicesOfPods(primary)::keys);
        watch(nodes).run(zones::changed);
        // Each Service is synced after the start anyway.
        watch(slices).when(change -> !change.initial()).after(wait)
                .enqueueFor(new ServicesOfSlices(SliceDecisions.MANAGER, tracker)::keys);
    }

    private void wakeOverloaded() {
        Map<String, Double> shares = zones.shares();
        hints.forEach((service, has) -> {
            if (has.isOverloaded(shares)) {
                queue.add(service);
            }
        });
    }

    @Override
    protected Result gone(ObjectKey key, SyncRun run) throws InterruptedException {
        run.effect(() -> {
            triggerTimes.forget(key);
            tracker.forget(key);
            hints.remove(key);
            metrics.count(key, null);
            metrics.distribute(key, null);
        });
        return super.gone(key, run);
    }

    @Override
    protected Result sync(ObjectKey key, V1Service service, SyncRun run) {
        if (!ServicePods.isOurs(service)) {
            return Result.done();
        }
        SliceDecision decision = SliceDecisions.decide(view(key, service, run));
        run.effect(() -> remember(key, decision.hints()));
        Result result = execute(key, service, decision, run);
        run.effect(() -> metrics.synced(result.equals(Result.done())));
        return result;
    }

    private void remember(ObjectKey key, ZoneHints now) {
        if (now.equals(ZoneHints.NONE)) {
            hints.remove(key);
        } else {
            hints.put(key, now);
        }
    }

    private Result execute(ObjectKey key, V1Service service, SliceDecision decision, SyncRun run) {
        boolean topology = TopologyHints.areWanted(service);
        String distribution = topology ? null : TrafficHints.wanted(service);
        run.effect(() -> metrics.distribute(key, distribution));
        SliceCounts counts = SliceCounts.NONE;
        Set<String> problems = new LinkedHashSet<>();
        KubeApiException error = null;
        for (SliceDecision.Part part : decision.parts()) {
            counts = counts.plus(part.counts());
            problems.addAll(part.problems());
            Outcome outcome = run.execute(part.writes().actions());
            run.effect(() -> {
                tracker.wrote(key, outcome);
                metrics.changes(part.counts());
                metrics.wrote(outcome);
                if (outcome.succeeded()) {
                    metrics.changed(part.writes().count(), topology, distribution);
                }
            });
            KubeApiException failure = outcome.error();
            if (failure != null && !failure.isNamespaceTerminating()) {
                error = failure;
                problems.add(SliceWrites.failure(outcome.failed(), "Service " + key) + failure.statusMessage());
            }
            run.execute(part.events());
        }
        SliceCounts all = counts;
        run.effect(() -> metrics.count(key, all));
        if (problems.isEmpty()) {
            return Result.done();
        }
        String text = problems.size() == 1 ? problems.iterator().next() : "[" + String.join(", ", problems) + "]";
        run.execute(List.of(new Action.Event(ResourceType.SERVICES, service, EventRecorder.WARNING,
                "FailedToUpdateEndpointSlices", "Error updating Endpoint Slices for Service " + key + ": " + text)));
        return error == null ? Result.requeue() : Result.retry(error);
    }

    private SliceView view(ObjectKey key, V1Service service, SyncRun run) {
        List<V1Pod> selected = ServicePods.of(service, pods.getIndexer().list(key.namespace()));
        List<V1EndpointSlice> own = slices(slices, key, SliceDecisions.MANAGER).stream()
                .filter(slice -> slice.getMetadata().getDeletionTimestamp() == null).toList();
        return new SliceView(service, selected, own, zones::node, most, zones.shares(),
                hints.getOrDefault(key, ZoneHints.NONE), triggerTimes.next(service, selected, run));
    }

    /** The cached slices of a Service that a controller manages, by name. */
    static List<V1EndpointSlice> slices(SharedIndexInformer<V1EndpointSlice> cache, ObjectKey service,
            String manager) {
        return cache.getIndexer().list(service.namespace()).stream()
                .filter(slice -> manager.equals(Metadata.label(slice, WellKnown.MANAGED_BY))
                        && service.name().equals(Metadata.label(slice, WellKnown.SERVICE)))
                .sorted(Comparator.comparing(slice -> String.valueOf(slice.getMetadata().getName()))).toList();
    }

    @Override
    protected V1LabelSelector selects(ObjectKey key, ResourceType type) {
        return new V1LabelSelector().putMatchLabelsItem(WellKnown.SERVICE, key.name())
                .putMatchLabelsItem(WellKnown.MANAGED_BY, SliceDecisions.MANAGER);
    }
}
