package dev.wheelhouse.apiserver.kinds;

import java.util.Map;

import dev.wheelhouse.apiserver.table.Item;

/** Ingress classes (upstream: {@code pkg/registry/networking/ingressclass}). */
final class IngressClassStrategy extends Strategy {
    IngressClassStrategy() {
        super("networking.k8s.io", "IngressClass",
                Map.of("parameters", IngressClassStrategy::parameters, "nameOrDefault",
                        o -> o.name()
                                + (o.text("metadata", "annotations", "ingressclass.kubernetes.io/is-default-class")
                                        .equals("true") ? " (default)" : "")));
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
