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
        put("endpoints", state.made("Endpoints", "<IP>", ip, "<PORT>", port), "subsets");
        put("endpointslices.discovery.k8s.io", state.made("EndpointSlice", "<IP>", ip, "<PORT>", port, "<FAMILY>",
                address instanceof Inet6Address ? "IPv6" : "IPv4"), "addressType", "endpoints", "ports");
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
