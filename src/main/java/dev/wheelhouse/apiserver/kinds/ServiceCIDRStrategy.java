package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Problems;

/** Ranges of cluster IPs (upstream: {@code pkg/registry/networking/servicecidr}). */
final class ServiceCIDRStrategy extends Strategy {
    ServiceCIDRStrategy() {
        super("networking.k8s.io", "ServiceCIDR");
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        TrafficValidation.serviceRange(object, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode object, ObjectNode old, Problems problems) {
        TrafficValidation.serviceRangeUpdate(object, old, problems);
    }
}
