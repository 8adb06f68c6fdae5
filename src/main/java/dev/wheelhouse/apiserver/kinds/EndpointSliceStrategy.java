package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Problems;

/** Endpoint slices (upstream: {@code pkg/registry/discovery/endpointslice}). */
final class EndpointSliceStrategy extends Strategy {
    EndpointSliceStrategy() {
        super("discovery.k8s.io", "EndpointSlice");
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        TrafficValidation.slice(object, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode object, ObjectNode old, Problems problems) {
        TrafficValidation.sliceUpdate(object, old, problems);
    }
}
