package dev.wheelhouse.apiserver.kinds;

import java.util.List;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;

/** Cluster roles, some of which aggregate others (upstream: {@code pkg/registry/rbac/clusterrole}). */
final class ClusterRoleStrategy extends Strategy {
    ClusterRoleStrategy() {
        super("rbac.authorization.k8s.io", "ClusterRole");
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
    public void written(@Nullable ObjectNode old, ObjectNode object, ClusterState state) {
        RoleAggregation.refresh(state.store());
    }

    @Override
    public void deleted(ResourceType type, ObjectNode object, ClusterState state) {
        RoleAggregation.refresh(state.store());
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        RbacValidation.role(object, true, problems);
    }
}
