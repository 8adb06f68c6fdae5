package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Problems;

/** Ingress classes (upstream: {@code pkg/registry/networking/ingressclass}). */
final class IngressClassStrategy extends Strategy {
    IngressClassStrategy() {
        super("networking.k8s.io", "IngressClass");
    }

    @Override
    protected boolean countsGenerations() {
        return false;
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        TrafficValidation.ingressClass(object, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode object, ObjectNode old, Problems problems) {
        TrafficValidation.ingressClassUpdate(object, old, problems);
    }
}
