package dev.wheelhouse.controllers.service;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Node;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.controller.Change;
import dev.wheelhouse.controllers.pods.Nodes;
import dev.wheelhouse.facts.Quantities;
import dev.wheelhouse.informer.SharedIndexInformer;

/**
 * The share of each zone in the CPUs of the ready nodes (upstream: {@code SetNodes} in
 * {@code staging/src/k8s.io/endpointslice/topologycache/topologycache.go}). It is counted again after a node came or
 * went, or its zone or readiness changed. Thread safe.
 */
final class TopologyCache {
    static final String LABEL = "topology.kubernetes.io/zone";
    private static final Set<String> CONTROL_PLANE = Set.of("node-role.kubernetes.io/control-plane",
            "node-role.kubernetes.io/master");

    private final SharedIndexInformer<V1Node> nodes;
    private final Runnable changed;
    private @Nullable Map<String, Double> shares;
    private boolean counted;

    /** @param changed called after the shares may have changed */
    TopologyCache(SharedIndexInformer<V1Node> nodes, Runnable changed) {
        this.nodes = nodes;
        this.changed = changed;
    }

    /** The node of a name; null if the cache has none, or the name is empty. */
    @Nullable
    V1Node node(String name) {
        return name.isEmpty() ? null : nodes.get(ObjectKey.cluster(name));
    }

    /** The zone of a node; null if it has none. */
    static @Nullable String of(@Nullable V1Node node) {
        String zone = node == null ? null : Metadata.label(node, LABEL);
        return zone == null || zone.isEmpty() ? null : zone;
    }

    /** The shares by zone; null if fewer than two zones have nodes, or a node does not tell its zone or its CPUs. */
    synchronized @Nullable Map<String, Double> shares() {
        if (!counted) {
            shares = shares(nodes.getIndexer().list());
            counted = true;
        }
        return shares;
    }

    static @Nullable Map<String, Double> shares(Collection<V1Node> nodes) {
        Map<String, Long> cpus = new TreeMap<>();
        for (V1Node node : nodes) {
            if (CONTROL_PLANE.stream().anyMatch(l -> Metadata.label(node, l) != null) || !Nodes.isReady(node)) {
                continue;
            }
            String zone = of(node);
            long cpu = cpu(node);
            if (zone == null || cpu == 0) {
                return null;
            }
            cpus.merge(zone, cpu, Long::sum);
        }
        if (cpus.size() < 2) {
            return null;
        }
        double total = cpus.values().stream().mapToDouble(Long::doubleValue).sum();
        Map<String, Double> shares = new TreeMap<>();
        cpus.forEach((zone, cpu) -> shares.put(zone, cpu / total));
        return shares;
    }

    private static long cpu(V1Node node) {
        Quantity cpu = node.getStatus() == null || node.getStatus().getAllocatable() == null
                ? null
                : node.getStatus().getAllocatable().get("cpu");
        return cpu == null ? 0 : Quantities.milli(cpu.getNumber());
    }

    void changed(Change<V1Node> change) {
        if (change.isUpdate() && !change.alters(Nodes::isReady) && !change.alters(TopologyCache::of)) {
            return;
        }
        synchronized (this) {
            counted = false;
        }
        if (!change.initial()) {
            changed.run();
        }
    }
}
