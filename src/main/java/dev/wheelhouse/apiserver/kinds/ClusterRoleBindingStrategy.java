package dev.wheelhouse.apiserver.kinds;

import java.util.List;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;

/** Cluster role bindings (upstream: {@code pkg/registry/rbac/clusterrolebinding}). */
final class ClusterRoleBindingStrategy extends Strategy {
    ClusterRoleBindingStrategy() {
        super("rbac.authorization.k8s.io", "ClusterRoleBinding");
    }

    @Override
    public boolean allowsCreateOnUpdate() {
        return true;
    }

    @Override
    protected List<String> nameProblems(String name) {
        return Formats.pathSegment(name);
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        RbacValidation.binding(object, true, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode object, ObjectNode old, Problems problems) {
        RbacValidation.bindingUpdate(object, old, true, problems);
    }
}
