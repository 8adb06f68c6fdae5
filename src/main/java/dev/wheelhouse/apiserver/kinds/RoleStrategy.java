package dev.wheelhouse.apiserver.kinds;

import java.util.List;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;

/** Roles (upstream: {@code pkg/registry/rbac/role}). */
final class RoleStrategy extends Strategy {
    RoleStrategy() {
        super("rbac.authorization.k8s.io", "Role");
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
        RbacValidation.role(object, false, problems);
    }
}
