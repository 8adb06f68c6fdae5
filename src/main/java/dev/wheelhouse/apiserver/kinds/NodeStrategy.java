package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.facts.ResourceInfo;

/** Nodes, which say their status when they register (upstream: {@code pkg/registry/core/node}). */
final class NodeStrategy extends Strategy {
    NodeStrategy() {
        super("", "Node");
    }

    @Override
    public boolean dropsStatus(ResourceInfo info) {
        return false;
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        ClusterValidation.node(object, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode object, ObjectNode old, Problems problems) {
        ClusterValidation.nodeUpdate(object, old, problems);
    }
}
