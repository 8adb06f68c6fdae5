package dev.wheelhouse.apiserver.rest;

import java.net.Inet6Address;
import java.net.InetAddress;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.kinds.ClusterState;

/**
 * The Endpoints and the EndpointSlice of the Service {@code kubernetes}, by which clients in the cluster find the API
 * server (upstream: {@code pkg/controlplane/reconcilers}).
 */
record OwnEndpoints(ClusterState state) {
    private static final String NAMESPACE = "default";
    private static final String NAME = "kubernetes";

    /** Makes the given address the only one of the Service. */
    void announce(InetAddress address, int port) {
        String ip = address.getHostAddress();
        ObjectNode endpoints = state.object("v1", "Endpoints", NAMESPACE, NAME);
        Meta.of(endpoints).putObject("labels").put("endpointslice.kubernetes.io/skip-mirror", "true");
        ObjectNode subset = endpoints.putArray("subsets").addObject();
        subset.putArray("addresses").addObject().put("ip", ip);
        subset.putArray("ports").addObject().put("name", "https").put("port", port).put("protocol", "TCP");
        put("endpoints", endpoints, "subsets");

        ObjectNode slice = state.object("discovery.k8s.io/v1", "EndpointSlice", NAMESPACE, NAME);
        Meta.of(slice).put("generation", 1).putObject("labels").put("kubernetes.io/service-name", NAME);
        slice.put("addressType", address instanceof Inet6Address ? "IPv6" : "IPv4");
        ObjectNode endpoint = slice.putArray("endpoints").addObject();
        endpoint.putArray("addresses").add(ip);
        endpoint.putObject("conditions").put("ready", true);
        slice.putArray("ports").addObject().put("name", "https").put("port", port).put("protocol", "TCP");
        put("endpointslices.discovery.k8s.io", slice, "addressType", "endpoints", "ports");
    }

    private void put(String resource, ObjectNode wanted, String... fields) {
        state.create(resource, wanted);
        state.store().guaranteedUpdate(resource, NAMESPACE, NAME, present -> {
            boolean same = true;
            for (String field : fields) {
                same &= wanted.path(field).equals(present.path(field));
                present.set(field, wanted.get(field));
            }
            long generation = Json.number(Meta.of(present), 0, "generation");
            if (generation > 0) {
                Meta.of(present).put("generation", generation + 1);
            }
            return !same;
        });
    }
}
