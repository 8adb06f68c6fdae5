package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Problems;

/** Ingresses (upstream: {@code pkg/registry/networking/ingress}). */
final class IngressStrategy extends Strategy {
    IngressStrategy() {
        super("networking.k8s.io", "Ingress");
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        TrafficValidation.ingress(object, problems);
    }
}
