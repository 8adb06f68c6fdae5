package dev.wheelhouse.controllers.service;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.DiscoveryV1EndpointPort;
import io.kubernetes.client.openapi.models.V1Endpoint;
import io.kubernetes.client.openapi.models.V1EndpointConditions;
import io.kubernetes.client.openapi.models.V1EndpointSlice;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Service;

import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.event.EventRecorder;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Decides on the slices of a Service, for each type of its addresses (upstream:
 * {@code staging/src/k8s.io/endpointslice/reconciler.go}). A pure function.
 */
final class SliceDecisions {
    /** The value of the label {@link WellKnown#MANAGED_BY}. */
    static final String MANAGER = "endpointslice-controller.k8s.io";
    private static final Set<String> OWN_LABELS = Set.of(WellKnown.SERVICE, WellKnown.MANAGED_BY, WellKnown.HEADLESS);

    private final SliceView view;
    private final V1Service service;
    private final String type;
    private final Map<String, String> labels;
    private final Map<List<DiscoveryV1EndpointPort>, List<DiscoveryV1EndpointPort>> sortedPorts = new HashMap<>();
    private final List<String> problems = new ArrayList<>();
    private final List<Action> events = new ArrayList<>();
    private ZoneHints hints;
    private SliceCounts counts = SliceCounts.NONE;

    private SliceDecisions(SliceView view, String type, ZoneHints hints) {
        this.view = view;
        this.service = view.service();
        this.type = type;
        this.labels = labels(service);
        this.hints = hints;
    }

    /** The decision about the slices of a Service. */
    static SliceDecision decide(SliceView view) {
        SortedSet<String> types = ServicePods.addressTypes(view.service());
        List<V1EndpointSlice> others = view.slices().stream().filter(s -> !types.contains(s.getAddressType()))
                .toList();
        ZoneHints hints = view.hints();
        for (V1EndpointSlice other : others) {
            hints = hints.without(other.getAddressType());
        }
        List<SliceDecision.Part> parts = new ArrayList<>();
        for (String type : types) {
            SliceDecisions decisions = new SliceDecisions(view, type, hints);
            parts.add(decisions.part());
            hints = decisions.hints;
        }
        if (!others.isEmpty()) {
            parts.add(SliceDecision.Part.deleting(others, "the Service has no such addresses"));
        }
        return new SliceDecision(parts, hints);
    }

    private SliceDecision.Part part() {
        List<V1EndpointSlice> existing = view.slices().stream().filter(s -> type.equals(s.getAddressType())).toList();
        List<V1EndpointSlice> emptied = new ArrayList<>();
        Map<List<DiscoveryV1EndpointPort>, List<V1EndpointSlice>> byPorts = new LinkedHashMap<>();
        for (V1EndpointSlice slice : existing) {
            if (isOwned(slice)) {
                byPorts.computeIfAbsent(PortOrder.ofSlice(slice.getPorts()), p -> new ArrayList<>()).add(slice);
            } else {
                emptied.add(slice);
            }
        }
        List<SliceDraft> slices = new ArrayList<>();

        Map<List<DiscoveryV1EndpointPort>, Map<EndpointId, V1Endpoint>> wanted = wanted();
        wanted.forEach((ports, endpoints) -> {
            SlicePacking packing = SlicePacking.of(byPorts.getOrDefault(ports, List.of()), endpoints, labels,
                    this::hasOtherLabels, view.most(), () -> SliceDraft.fresh(type, ports, labels));
            slices.addAll(packing.slices());
            emptied.addAll(packing.emptied());
            counts = counts
                    .plus(SliceCounts.of(packing.added(), packing.removed(), endpoints.size(), packing.slices().size(),
                            view.most()));
        });
        byPorts.forEach((ports, left) -> {
            if (!wanted.containsKey(ports)) {
                emptied.addAll(left);
            }
        });
        if (slices.isEmpty()) {
            counts = counts.plus(new SliceCounts(0, 0, 0, 1, 0));
            if (emptied.size() != 1 || !isPlaceholder(emptied.getFirst())) {
                slices.add(SliceDraft.fresh(type, List.of(), labels));
            } else {
                emptied.clear();
            }
        }
        assignHints(slices);
        return new SliceDecision.Part(writes(slices, emptied), events, problems, counts);
    }

    /** The endpoints by ports. Pods may have different numbers for a port of one name. */
    private Map<List<DiscoveryV1EndpointPort>, Map<EndpointId, V1Endpoint>> wanted() {
        Map<List<DiscoveryV1EndpointPort>, Map<EndpointId, V1Endpoint>> wanted = new LinkedHashMap<>();
        for (V1Pod pod : view.pods()) {
            if (!ServicePods.isReachable(pod)) {
                continue;
            }
            Map<EndpointId, V1Endpoint> endpoints = wanted.computeIfAbsent(
                    sortedPorts.computeIfAbsent(ports(pod), PortOrder::ofSlice), p -> new LinkedHashMap<>());
            V1Node node = view.nodes().apply(Pods.node(pod));
            if (node == null && !ServicePods.publishesNotReady(service)) {
                problems.add("skipping Pod " + pod.getMetadata().getName() + " for Service " + name() + ": Node "
                        + Pods.node(pod) + " Not Found");
                continue;
            }
            V1Endpoint endpoint = endpoint(pod, node);
            if (!endpoint.getAddresses().isEmpty()) {
                endpoints.put(EndpointId.of(endpoint), endpoint);
            }
        }
        return wanted;
    }

    private List<DiscoveryV1EndpointPort> ports(V1Pod pod) {
        return ServicePods.ports(service).stream().flatMap(port -> {
            Integer number = ServicePods.port(pod, port);
            return number == null
                    ? Stream.of()
                    : Stream.of(new DiscoveryV1EndpointPort().name(orEmpty(port.getName()))
                            .port(number).protocol(ServicePods.protocol(port.getProtocol()))
                            .appProtocol(port.getAppProtocol()));
        }).toList();
    }

    private V1Endpoint endpoint(V1Pod pod, @Nullable V1Node node) {
        boolean serving = Pods.isReady(pod);
        boolean terminating = Pods.isDeleting(pod);
        boolean ready = ServicePods.publishesNotReady(service) || (serving && !terminating);
        return new V1Endpoint().addresses(ServicePods.addresses(pod, type))
                .conditions(new V1EndpointConditions().ready(ready).serving(serving).terminating(terminating))
                .targetRef(ServicePods.reference(pod)).nodeName(Pods.node(pod).isEmpty() ? null : Pods.node(pod))
                .zone(TopologyCache.of(node)).hostname(ServicePods.hostname(pod, service));
    }

    private void assignHints(List<SliceDraft> slices) {
        if (TopologyHints.areWanted(service)) {
            TopologyHints.Result result = TopologyHints.assign(slices, view.zones());
            if (result.zones() == null) {
                hints = hints.without(type);
                event(EventRecorder.WARNING, "TopologyAwareHintsDisabled", result.why());
                return;
            }
            if (!hints.announced()) {
                event(EventRecorder.NORMAL, "TopologyAwareHintsEnabled", "Topology Aware Hints has been enabled");
            }
            hints = hints.with(type, result.zones());
            return;
        }
        if (hints.announced()) {
            event(EventRecorder.WARNING, "TopologyAwareHintsDisabled", "Topology Aware Hints has been disabled");
        }
        hints = hints.without(type);
        String distribution = TrafficHints.wanted(service);
        if (distribution == null) {
            TrafficHints.remove(slices);
        } else {
            TrafficHints.assign(slices, distribution);
        }
    }

    private void event(String level, String reason, String message) {
        events.add(new Action.Event(ResourceType.SERVICES, service, level, reason,
                message + ", addressType: " + type));
    }

    private SliceWrites writes(List<SliceDraft> slices, List<V1EndpointSlice> emptied) {
        SliceWrites writes = new SliceWrites();
        List<SliceDraft> fresh = new ArrayList<>(slices.stream().filter(SliceDraft::isNew).toList());
        for (V1EndpointSlice slice : emptied) {
            if (!fresh.isEmpty() && isOwned(slice)) {
                SliceDraft last = fresh.removeLast();
                last.replace(slice);
                writes.update(last.toObject(metadata(), view.triggerTime()));
            } else {
                writes.delete(slice, "no endpoint is in it");
            }
        }
        if (service.getMetadata().getDeletionTimestamp() == null) {
            fresh.forEach(slice -> writes.create(slice.toObject(metadata(), view.triggerTime())));
        }
        slices.stream().filter(slice -> !slice.isNew() && slice.isToWrite())
                .forEach(slice -> writes.update(slice.toObject(metadata(), view.triggerTime())));
        return writes;
    }

    private V1ObjectMeta metadata() {
        V1ObjectMeta meta = service.getMetadata();
        return new V1ObjectMeta().namespace(meta.getNamespace())
                .generateName(WellKnown.slicePrefix(String.valueOf(meta.getName())))
                .addOwnerReferencesItem(OwnerReferences.controllerReference(ResourceType.SERVICES, meta));
    }

    private String name() {
        return service.getMetadata().getNamespace() + "/" + service.getMetadata().getName();
    }

    /** A slice of a Service of the same name that was deleted is not owned. */
    private boolean isOwned(V1EndpointSlice slice) {
        return OwnerReferences.of(slice.getMetadata()).stream()
                .anyMatch(owner -> Objects.equals(owner.getUid(), service.getMetadata().getUid())
                        && "Service".equals(owner.getKind()) && "v1".equals(owner.getApiVersion()));
    }

    /** Whether a slice is what a Service without endpoints has. */
    private boolean isPlaceholder(V1EndpointSlice slice) {
        return orEmpty(slice.getEndpoints()).isEmpty() && (slice.getPorts() == null || slice.getPorts().isEmpty())
                && WellKnown.labels(slice.getMetadata()).equals(labels);
    }

    /** Whether a slice lacks labels of the Service, or has others. Its own labels need not be right. */
    private boolean hasOtherLabels(V1EndpointSlice slice) {
        return !withoutOwn(slice.getMetadata()).equals(withoutOwn(service.getMetadata()));
    }

    private static Map<String, String> labels(V1Service service) {
        Map<String, String> labels = withoutOwn(service.getMetadata());
        if (!ServicePods.hasAddress(service)) {
            labels.put(WellKnown.HEADLESS, "");
        }
        labels.put(WellKnown.SERVICE, String.valueOf(service.getMetadata().getName()));
        labels.put(WellKnown.MANAGED_BY, MANAGER);
        return labels;
    }

    private static Map<String, String> withoutOwn(V1ObjectMeta meta) {
        Map<String, String> labels = WellKnown.labels(meta);
        labels.keySet().removeAll(OWN_LABELS);
        return labels;
    }
}
