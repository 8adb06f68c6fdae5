package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Problems;

/** API services (upstream: {@code kube-aggregator/pkg/registry/apiservice}). */
final class APIServiceStrategy extends Strategy {
    APIServiceStrategy() {
        super("apiregistration.k8s.io", "APIService");
    }

    @Override
    public boolean allowsUnconditionalUpdate() {
        return false;
    }

    @Override
    protected void validateStatus(ObjectNode object, ObjectNode old, Problems problems) {
        StatusValidation.update("apiregistration.k8s.io/APIService", object, old, problems);
    }
}
