package dev.wheelhouse.apiserver.kinds;

import java.util.Map;
import java.util.function.Consumer;

import tools.jackson.databind.node.ObjectNode;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;

/** Replica sets (upstream: {@code pkg/registry/apps/replicaset}). */
final class ReplicaSetStrategy extends Strategy {
    ReplicaSetStrategy() {
        super("apps", "ReplicaSet");
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put("io.k8s.api.apps.v1.ReplicaSetSpec", spec -> set(spec, "replicas", 1));
    }
}
