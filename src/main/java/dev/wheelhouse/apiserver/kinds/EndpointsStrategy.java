package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.validation.Problems;

/** Endpoints (upstream: {@code pkg/registry/core/endpoint}). */
final class EndpointsStrategy extends Strategy {
    EndpointsStrategy() {
        super("", "Endpoints");
    }

    @Override
    public boolean allowsCreateOnUpdate() {
        return true;
    }

    @Override
    public String deprecation(ResourceType type) {
        return "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice";
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        TrafficValidation.endpoints(object, problems);
    }
}
