package dev.wheelhouse.apiserver.kinds;

import java.util.Map;
import java.util.function.Consumer;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.table.Item;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;

/** Ingress classes (upstream: {@code pkg/registry/networking/ingressclass}). */
final class IngressClassStrategy extends Strategy {
    IngressClassStrategy() {
        super("networking.k8s.io", "IngressClass",
                Map.of("parameters", IngressClassStrategy::parameters, "nameOrDefault",
                        o -> o.name()
                                + (o.text("metadata", "annotations", "ingressclass.kubernetes.io/is-default-class")
                                        .equals("true") ? " (default)" : "")));
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put("io.k8s.api.networking.v1.IngressClassParametersReference", p -> set(p, "scope", "Cluster"));
    }

    private static String parameters(Item ingressClass) {
        Item parameters = ingressClass.part("spec", "parameters");
        if (!ingressClass.has("spec", "parameters")) {
            return Item.NONE;
        }
        String group = parameters.has("apiGroup") ? "." + parameters.text("apiGroup") : "";
        return parameters.text("kind") + group + "/" + parameters.text("name");
    }
}
