package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Set;

import dev.wheelhouse.apiserver.validation.Formats;

/** Roles of a namespace, and the base of the strategy of cluster roles (upstream: {@code pkg/registry/rbac/role}). */
class RoleStrategy extends Strategy {
    RoleStrategy() {
        this("Role");
    }

    RoleStrategy(String kind) {
        super("rbac.authorization.k8s.io", kind, Set.of(Trait.CREATED_BY_UPDATE));
    }

    @Override
    protected List<String> nameProblems(String name) {
        return Formats.pathSegment(name);
    }
}
