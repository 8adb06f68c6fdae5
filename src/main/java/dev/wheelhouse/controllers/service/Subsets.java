package dev.wheelhouse.controllers.service;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.CoreV1EndpointPort;
import io.kubernetes.client.openapi.models.V1EndpointAddress;
import io.kubernetes.client.openapi.models.V1EndpointSubset;
import io.kubernetes.client.openapi.models.V1ObjectReference;

import dev.wheelhouse.client.ModelJson;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * The canonical form of the subsets of Endpoints: addresses with the same ports are one subset (upstream:
 * {@code pkg/api/v1/endpoints/util.go}). Upstream orders subsets by a hash that contains the UIDs of the pods, so that
 * users see a random order; the order here depends on the content alone, too.
 */
final class Subsets {
    private static final Comparator<V1EndpointAddress> BY_ADDRESS = Comparator.comparing(V1EndpointAddress::getIp)
            .thenComparing(Subsets::uid, Comparator.nullsFirst(Comparator.naturalOrder()));

    /**
     * The most addresses in all subsets together. The canonical form of n + 1 subsets with n addresses may have n
     * subsets of n addresses.
     */
    private static final int MOST = 1_000_000;

    private final Map<Host, V1EndpointAddress> addresses = new LinkedHashMap<>();
    /** Whether each host is ready, by the ports that it was added with. */
    private final Map<List<CoreV1EndpointPort>, Map<Host, Boolean>> hosts = new LinkedHashMap<>();

    /** An address of one object. Several pods may have the address of their node. */
    private record Host(String ip, @Nullable String uid) {}

    /** The canonical form would have more than a million addresses. The message says what to do. */
    static final class TooLarge extends RuntimeException {
        TooLarge() {
            super("the ports overlap so that the subsets would have more than " + MOST + " addresses: give addresses "
                    + "of one port the same other ports");
        }
    }

    /** Adds an address. An address that is not ready for a port once is not ready for it. */
    void add(V1EndpointAddress address, List<CoreV1EndpointPort> ports, boolean ready) {
        Host host = new Host(address.getIp(), uid(address));
        addresses.putIfAbsent(host, address);
        hosts.computeIfAbsent(ports, p -> new LinkedHashMap<>()).merge(host, ready, Boolean::logicalAnd);
    }

    /**
     * The canonical form of all that was added.
     *
     * @throws TooLarge if it would be too large. The work before is linear
     */
    List<V1EndpointSubset> packed() {
        List<Map<Host, Boolean>> additions = List.copyOf(hosts.values());
        Map<List<Integer>, List<CoreV1EndpointPort>> portsByAdditions = new LinkedHashMap<>();
        additionsByPort().forEach((port, indices) -> {
            List<CoreV1EndpointPort> ports = portsByAdditions.computeIfAbsent(indices, i -> new ArrayList<>());
            if (port != null) {
                ports.add(port);
            }
        });
        if (portsByAdditions.keySet().stream().flatMap(List::stream).mapToLong(i -> additions.get(i).size())
                .sum() > MOST) {
            throw new TooLarge();
        }
        Map<Map<Host, Boolean>, List<CoreV1EndpointPort>> portsByHosts = new LinkedHashMap<>();
        portsByAdditions.forEach((indices, ports) -> {
            Map<Host, Boolean> all = new LinkedHashMap<>();
            indices.forEach(i -> additions.get(i)
                    .forEach((host, ready) -> all.merge(host, ready, Boolean::logicalAnd)));
            portsByHosts.computeIfAbsent(all, a -> new ArrayList<>()).addAll(ports);
        });
        List<V1EndpointSubset> subsets = new ArrayList<>();
        portsByHosts.forEach((ready, ports) -> subsets.add(new V1EndpointSubset()
                .addresses(addresses(ready, true)).notReadyAddresses(addresses(ready, false))
                .ports(ports.isEmpty() ? null : PortOrder.ofSubset(ports))));
        // No port is in two subsets.
        subsets.sort(Comparator.comparing(s -> s.getPorts() == null ? "" : s.getPorts().getFirst().toString()));
        return subsets;
    }

    /** The indices of the additions that have each port, in order. The key null is for hosts without ports. */
    private Map<@Nullable CoreV1EndpointPort, List<Integer>> additionsByPort() {
        Map<@Nullable CoreV1EndpointPort, List<Integer>> indices = new LinkedHashMap<>();
        int index = 0;
        for (List<CoreV1EndpointPort> ports : hosts.keySet()) {
            Set<@Nullable CoreV1EndpointPort> distinct = new LinkedHashSet<>(ports);
            if (ports.isEmpty()) {
                distinct.add(null);
            }
            for (CoreV1EndpointPort port : distinct) {
                indices.computeIfAbsent(port, p -> new ArrayList<>(1)).add(index);
            }
            index++;
        }
        return indices;
    }

    private @Nullable List<V1EndpointAddress> addresses(Map<Host, Boolean> hostsOfPort, boolean ready) {
        List<V1EndpointAddress> sorted = hostsOfPort.entrySet().stream().filter(e -> e.getValue() == ready)
                .map(e -> addresses.get(e.getKey())).sorted(BY_ADDRESS).toList();
        return sorted.isEmpty() ? null : sorted;
    }

    /**
     * The canonical form of subsets. References in it have no versions.
     *
     * @throws TooLarge as {@link #packed}
     */
    static List<V1EndpointSubset> repacked(@Nullable List<V1EndpointSubset> subsets) {
        Subsets all = new Subsets();
        for (V1EndpointSubset subset : orEmpty(subsets)) {
            List<CoreV1EndpointPort> ports = orEmpty(subset.getPorts());
            for (boolean ready : List.of(true, false)) {
                for (V1EndpointAddress address : addresses(subset, ready)) {
                    all.add(withoutVersion(address), ports, ready);
                }
            }
        }
        return all.packed();
    }

    static List<V1EndpointAddress> addresses(V1EndpointSubset subset, boolean ready) {
        return orEmpty(ready ? subset.getAddresses() : subset.getNotReadyAddresses());
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
