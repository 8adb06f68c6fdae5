package dev.wheelhouse.controllers.service;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.CoreV1EndpointPort;
import io.kubernetes.client.openapi.models.V1EndpointAddress;
import io.kubernetes.client.openapi.models.V1EndpointSubset;
import io.kubernetes.client.openapi.models.V1ObjectReference;

import dev.wheelhouse.client.ModelJson;

/**
 * The canonical form of the subsets of Endpoints: addresses with the same ports are one subset (upstream:
 * {@code pkg/api/v1/endpoints/util.go}). Upstream orders subsets by a hash that contains the UIDs of the pods, so that
 * users see a random order; the order here depends on the content alone, too.
 */
final class Subsets {
    private static final Comparator<V1EndpointAddress> BY_ADDRESS = Comparator.comparing(V1EndpointAddress::getIp)
            .thenComparing(Subsets::uid, Comparator.nullsFirst(Comparator.naturalOrder()));

    private final Map<Host, V1EndpointAddress> addresses = new LinkedHashMap<>();
    /** Whether each host is ready, by port. The key null is for hosts without ports. */
    private final Map<@Nullable CoreV1EndpointPort, Map<Host, Boolean>> hosts = new LinkedHashMap<>();

    /** An address of one object. Several pods may have the address of their node. */
    private record Host(String ip, @Nullable String uid) {}

    /** Adds an address. An address that is not ready for a port once is not ready for it. */
    void add(V1EndpointAddress address, @Nullable CoreV1EndpointPort port, boolean ready) {
        Host host = new Host(address.getIp(), uid(address));
        addresses.putIfAbsent(host, address);
        hosts.computeIfAbsent(port, p -> new LinkedHashMap<>()).merge(host, ready, Boolean::logicalAnd);
    }

    /** The canonical form of all that was added. */
    List<V1EndpointSubset> packed() {
        Map<Map<Host, Boolean>, List<CoreV1EndpointPort>> portsByHosts = new LinkedHashMap<>();
        hosts.forEach((port, ready) -> {
            List<CoreV1EndpointPort> ports = portsByHosts.computeIfAbsent(ready, r -> new ArrayList<>());
            if (port != null) {
                ports.add(port);
            }
        });
        List<V1EndpointSubset> subsets = new ArrayList<>();
        portsByHosts.forEach((ready, ports) -> subsets.add(new V1EndpointSubset()
                .addresses(addresses(ready, true)).notReadyAddresses(addresses(ready, false))
                .ports(ports.isEmpty() ? null : PortOrder.ofSubset(ports))));
        if (subsets.size() > 1) {
            subsets.sort(Comparator.comparing(V1EndpointSubset::toString));
        }
        return subsets;
    }

    private @Nullable List<V1EndpointAddress> addresses(Map<Host, Boolean> hostsOfPort, boolean ready) {
        List<V1EndpointAddress> sorted = hostsOfPort.entrySet().stream().filter(e -> e.getValue() == ready)
                .map(e -> addresses.get(e.getKey())).sorted(BY_ADDRESS).toList();
        return sorted.isEmpty() ? null : sorted;
    }

    /** The canonical form of subsets. References in it have no versions. */
    static List<V1EndpointSubset> repacked(@Nullable List<V1EndpointSubset> subsets) {
        Subsets all = new Subsets();
        for (V1EndpointSubset subset : subsets == null ? List.<V1EndpointSubset>of() : subsets) {
            List<CoreV1EndpointPort> ports = subset.getPorts() == null ? List.of() : subset.getPorts();
            for (boolean ready : List.of(true, false)) {
                for (V1EndpointAddress address : addresses(subset, ready)) {
                    V1EndpointAddress plain = withoutVersion(address);
                    if (ports.isEmpty()) {
                        all.add(plain, null, ready);
                    }
                    ports.forEach(port -> all.add(plain, port, ready));
                }
            }
        }
        return all.packed();
    }

    static List<V1EndpointAddress> addresses(V1EndpointSubset subset, boolean ready) {
        List<V1EndpointAddress> list = ready ? subset.getAddresses() : subset.getNotReadyAddresses();
        return list == null ? List.of() : list;
    }

    private static @Nullable String uid(V1EndpointAddress address) {
        return address.getTargetRef() == null ? null : address.getTargetRef().getUid();
    }

    private static V1EndpointAddress withoutVersion(V1EndpointAddress address) {
        V1ObjectReference target = address.getTargetRef();
        if (target == null || target.getResourceVersion() == null) {
            return address;
        }
        V1EndpointAddress plain = ModelJson.copy(address);
        plain.getTargetRef().setResourceVersion(null);
        return plain;
    }
}
