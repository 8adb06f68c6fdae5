package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Problems;

/** Network policies (upstream: {@code pkg/registry/networking/networkpolicy}). */
final class NetworkPolicyStrategy extends Strategy {
    NetworkPolicyStrategy() {
        super("networking.k8s.io", "NetworkPolicy");
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        NetworkValidation.policy(object, problems);
    }
}
