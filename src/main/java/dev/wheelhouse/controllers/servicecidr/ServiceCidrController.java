package dev.wheelhouse.controllers.servicecidr;

import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.kubernetes.client.openapi.models.V1IPAddress;
import io.kubernetes.client.openapi.models.V1ServiceCIDR;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controllers.AddressRange;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.informer.SharedIndexInformer;

/**
 * Gives each ServiceCIDR a finalizer and the condition Ready, and lets a deleted one go when no address needs it
 * (upstream: {@code pkg/controller/servicecidrs}).
 */
public final class ServiceCidrController extends ObjectController<V1ServiceCIDR> {
    public static final String NAME = "service-cidr-controller";
    /** The type of the ranges, which API servers serve from 1.33 on. */
    public static final ResourceType RANGES = new ResourceType("networking.k8s.io", "v1", "servicecidrs",
            "ServiceCIDR", false);
    /** The type of the addresses. */
    public static final ResourceType ADDRESSES = new ResourceType("networking.k8s.io", "v1", "ipaddresses",
            "IPAddress", false);

    private final SharedIndexInformer<V1IPAddress> addresses;

    public ServiceCidrController(ControllerContext context) {
        super(NAME, context, RANGES, V1ServiceCIDR.class);
        addresses = informerFor(ADDRESSES, V1IPAddress.class);
        // A new range may free the deleted ranges that it contains.
        watch(primary).enqueueFor(change -> Stream.concat(Stream.of(ObjectKey.of(change.object())),
                change.isAddition()
                        ? RangeView.ranges(change.object()).flatMap(mine -> ranges(mine::overlaps))
                        : Stream.empty()));
        watch(addresses).onAdd().onDelete()
                .enqueueEach(object -> Stream.ofNullable(RangeView.allocated(object))
                        .flatMap(address -> ranges(range -> range.hasService(address))));
    }

    @Override
    protected Result sync(ObjectKey key, V1ServiceCIDR range, SyncRun run) {
        Outcome outcome = run.execute(RangeDecisions.decide(new RangeView(range, primary.getIndexer().list(),
                addresses.getIndexer().list(), clock.now())));
        if (outcome.failed() instanceof Action.Apply && range.getMetadata().getDeletionTimestamp() == null) {
            run.execute(List.of(new Action.Event(RANGES, range, EventRecorder.WARNING,
                    "KubernetesServiceCIDRError", "The ServiceCIDR Status can not be set to Ready=True")));
        }
        return outcome.toResult();
    }

    private Stream<ObjectKey> ranges(Predicate<AddressRange> which) {
        return primary.getIndexer().list().stream().filter(range -> RangeView.ranges(range).anyMatch(which))
                .map(ObjectKey::of);
    }
}
