package dev.wheelhouse.controllers.node;

import java.util.Collection;
import java.util.List;
import java.util.function.Function;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.informer.Indexer;

/** The pods in a cache by their nodes. The controllers of this package share the index. Thread safe. */
final class PodsOnNodes {
    private static final String INDEX = "node-controllers/node";
    private static final Function<V1Pod, Collection<String>> NODE = PodsOnNodes::node;

    private final Indexer<V1Pod> pods;

    PodsOnNodes(Indexer<V1Pod> pods) {
        this.pods = pods;
        pods.addIndex(INDEX, NODE);
    }

    private static Collection<String> node(V1Pod pod) {
        return Pods.node(pod).isEmpty() ? List.of() : List.of(Pods.node(pod));
    }

    List<V1Pod> on(String node) {
        return pods.byIndex(INDEX, node);
    }
}
