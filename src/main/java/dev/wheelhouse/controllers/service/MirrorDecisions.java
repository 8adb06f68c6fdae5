package dev.wheelhouse.controllers.service;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.kubernetes.client.openapi.models.CoreV1EndpointPort;
import io.kubernetes.client.openapi.models.DiscoveryV1EndpointPort;
import io.kubernetes.client.openapi.models.V1Endpoint;
import io.kubernetes.client.openapi.models.V1EndpointAddress;
import io.kubernetes.client.openapi.models.V1EndpointConditions;
import io.kubernetes.client.openapi.models.V1EndpointSlice;
import io.kubernetes.client.openapi.models.V1EndpointSubset;
import io.kubernetes.client.openapi.models.V1Endpoints;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.event.EventRecorder;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Decides on the slices that mirror Endpoints: one for the addresses of each type in each subset (upstream:
 * {@code pkg/controller/endpointslicemirroring/reconciler.go}). A pure function.
 */
final class MirrorDecisions {
    /** The value of the label {@link WellKnown#MANAGED_BY}. */
    static final String MANAGER = "endpointslicemirroring-controller.k8s.io";

    private final V1Endpoints endpoints;
    private final int most;
    private final Map<Group, Map<EndpointId, V1Endpoint>> wanted = new LinkedHashMap<>();
    private final List<SliceDraft> fresh = new ArrayList<>();
    private final List<V1EndpointSlice> surplus = new ArrayList<>();
    private final List<V1EndpointSlice> unchanged = new ArrayList<>();
    private final SliceWrites writes = new SliceWrites();
    private SliceCounts counts = SliceCounts.NONE;
    private int invalid;
    private int skipped;
    private int updated;

    /** The slices with the same ports and type of addresses. */
    private record Group(String type, List<DiscoveryV1EndpointPort> ports) {}

    /**
     * A decision.
     *
     * @param events reported before the writes
     * @param unchanged the slices that stay as they are
     * @param updated the number of endpoints that change in place
     * @param skipped the number of addresses that no slice has, because they are no IP addresses or too many
     */
    record Decision(SliceWrites writes, List<Action> events, List<V1EndpointSlice> unchanged, SliceCounts counts,
            int updated, int skipped) {}

    private MirrorDecisions(V1Endpoints endpoints, int most) {
        this.endpoints = endpoints;
        this.most = most;

    }

    /**
     * The decision about the slices of Endpoints.
     *
     * @param existing the slices that mirror these Endpoints, by name
     * @param most the most endpoints of a slice, which has the first ones of its subset
     */
    static Decision decide(V1Endpoints endpoints, List<V1EndpointSlice> existing, int most) {
        return new MirrorDecisions(endpoints, most).decide(existing);
    }

    private Decision decide(List<V1EndpointSlice> existing) {
        try {
            Subsets.repacked(endpoints.getSubsets()).forEach(this::add);
        } catch (Subsets.TooLarge e) {
            return new Decision(writes, List.of(event("TooManyAddressesToMirror", String.valueOf(e.getMessage()))),
                    existing, counts, 0, 0);
        }
        Map<Group, List<V1EndpointSlice>> present = new LinkedHashMap<>();
        for (V1EndpointSlice slice : existing) {
            present.computeIfAbsent(new Group(slice.getAddressType(), PortOrder.ofSlice(slice.getPorts())),
                    g -> new ArrayList<>()).add(slice);
        }
        wanted.forEach((group, set) -> compare(group, present.getOrDefault(group, List.of()), set));
        present.forEach((group, slices) -> {
            if (!wanted.containsKey(group)) {
                surplus.addAll(slices);
            }
        });
        replace();
        return new Decision(writes, events(), unchanged, counts, updated, skipped);
    }

    private void add(V1EndpointSubset subset) {
        List<DiscoveryV1EndpointPort> ports = PortOrder.ofSlice(
                subset.getPorts() == null ? null : subset.getPorts().stream().map(MirrorDecisions::port).toList());
        Map<EndpointId, V1Endpoint> version4 = wanted.computeIfAbsent(new Group(Address.IPV4, ports),
                g -> new LinkedHashMap<>());
        Map<EndpointId, V1Endpoint> version6 = wanted.computeIfAbsent(new Group(Address.IPV6, ports),
                g -> new LinkedHashMap<>());
        int mirrored = 0;
        int all = 0;
        for (boolean ready : List.of(true, false)) {
            for (V1EndpointAddress each : Subsets.addresses(subset, ready)) {
                all++;
                if (mirrored >= most) {
                    continue;
                }
                Address address = Address.parse(each.getIp());
                if (address == null) {
                    invalid++;
                    continue;
                }
                mirrored++;
                V1Endpoint endpoint = endpoint(each, address, ready);
                (address.type().equals(Address.IPV4) ? version4 : version6).put(EndpointId.of(endpoint), endpoint);
            }
        }
        skipped += all - mirrored;
    }

    private static DiscoveryV1EndpointPort port(CoreV1EndpointPort port) {
        return new DiscoveryV1EndpointPort().name(orEmpty(port.getName())).port(port.getPort())
                .protocol(ServicePods.protocol(port.getProtocol())).appProtocol(port.getAppProtocol());
    }

    private static V1Endpoint endpoint(V1EndpointAddress each, Address address, boolean ready) {
        return new V1Endpoint().addresses(List.of(address.text()))
                .conditions(new V1EndpointConditions().ready(ready)).targetRef(each.getTargetRef())
                .nodeName(each.getNodeName()).hostname(each.getHostname());
    }

    private void count(int added, int removed, int wantedNow, int slices) {
        counts = counts.plus(SliceCounts.of(added, removed, wantedNow, slices, most));
    }

    private void compare(Group group, List<V1EndpointSlice> present, Map<EndpointId, V1Endpoint> set) {
        if (set.isEmpty()) {
            surplus.addAll(present);
            count(0, present.stream().mapToInt(slice -> orEmpty(slice.getEndpoints()).size()).sum(), 0, 0);
            return;
        }
        SliceDraft draft = SliceDraft.fresh(group.type, group.ports, labels());
        draft.setEndpoints(set.values().stream().limit(most).toList());
        if (present.isEmpty()) {
            fresh.add(draft);
            count(set.size(), 0, set.size(), 1);
            return;
        }
        V1EndpointSlice first = present.getFirst();
        surplus.addAll(present.subList(1, present.size()));
        int kept = 0;
        int changed = 0;
        for (V1Endpoint endpoint : orEmpty(first.getEndpoints())) {
            V1Endpoint now = set.get(EndpointId.of(endpoint));
            kept += now == null ? 0 : 1;
            changed += now == null || EndpointId.areEqual(now, endpoint) ? 0 : 1;
        }
        int added = set.size() - kept;
        int removed = orEmpty(first.getEndpoints()).size() - kept;
        count(added, removed, set.size(), 1);
        updated += changed;
        if (added + removed + changed == 0 && hasMetadata(first)) {
            unchanged.add(first);
        } else {
            draft.replace(first);
            writes.update(draft.toObject(metadata(), null));
        }
    }

    /**
     * Whether a slice has the labels and annotations of the Endpoints, and is owned by these and not by former ones.
     */
    private boolean hasMetadata(V1EndpointSlice slice) {
        Map<String, String> labels = WellKnown.labels(slice.getMetadata());
        labels.remove(WellKnown.MANAGED_BY);
        labels.remove(WellKnown.SERVICE);
        return labels.equals(WellKnown.labels(endpoints.getMetadata()))
                && WellKnown.annotations(slice.getMetadata()).equals(annotations())
                && OwnerReferences.of(slice.getMetadata()).stream().noneMatch(owner -> "Endpoints".equals(
                        owner.getKind()) && Objects.equals(owner.getName(), endpoints.getMetadata().getName())
                        && !Objects.equals(owner.getUid(), endpoints.getMetadata().getUid()));
    }

    /** Lets new slices take the places of slices that would be deleted. */
    private void replace() {
        Map<String, Deque<V1EndpointSlice>> places = new LinkedHashMap<>();
        surplus.forEach(slice -> places.computeIfAbsent(slice.getAddressType(), t -> new ArrayDeque<>()).add(slice));
        for (SliceDraft draft : fresh) {
            V1EndpointSlice place = places.getOrDefault(draft.addressType(), new ArrayDeque<>()).poll();
            if (place != null) {
                draft.replace(place);
                writes.update(draft.toObject(metadata(), null));
            } else if (endpoints.getMetadata().getDeletionTimestamp() == null) {
                writes.create(draft.toObject(metadata(), null));
            }
        }
        places.values().forEach(left -> left.forEach(
                slice -> writes.delete(slice, "the Endpoints have no such addresses")));
    }

    private Map<String, String> labels() {
        Map<String, String> labels = WellKnown.labels(endpoints.getMetadata());
        labels.put(WellKnown.SERVICE, String.valueOf(endpoints.getMetadata().getName()));
        labels.put(WellKnown.MANAGED_BY, MANAGER);
        return labels;
    }

    private Map<String, String> annotations() {
        Map<String, String> annotations = WellKnown.annotations(endpoints.getMetadata());
        annotations.remove(WellKnown.TRIGGER_TIME);
        annotations.remove(WellKnown.LAST_APPLIED);
        return annotations;
    }

    private V1ObjectMeta metadata() {
        V1ObjectMeta meta = endpoints.getMetadata();
        return new V1ObjectMeta().namespace(meta.getNamespace()).annotations(annotations())
                .generateName(WellKnown.slicePrefix(String.valueOf(meta.getName())))
                .addOwnerReferencesItem(OwnerReferences.controllerReference(ResourceType.ENDPOINTS, meta));
    }

    private List<Action> events() {
        List<Action> events = new ArrayList<>();
        if (invalid > 0) {
            events.add(event("InvalidIPAddress",
                    "Skipped " + invalid + " invalid IP addresses when mirroring to EndpointSlices"));
        }
        if (skipped > invalid) {
            events.add(event("TooManyAddressesToMirror", "A max of " + most + " addresses can be mirrored to "
                    + "EndpointSlices per Endpoints subset. " + skipped + " addresses were skipped"));
        }
        return events;
    }

    private Action.Event event(String reason, String message) {
        return new Action.Event(ResourceType.ENDPOINTS, endpoints, EventRecorder.WARNING, reason,
                message);
    }
}
