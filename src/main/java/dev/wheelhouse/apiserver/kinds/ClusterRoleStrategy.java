package dev.wheelhouse.apiserver.kinds;

/** Cluster roles, some of which aggregate others (upstream: {@code pkg/registry/rbac/clusterrole}). */
final class ClusterRoleStrategy extends RoleStrategy {
    ClusterRoleStrategy() {
        super("ClusterRole");
    }
}
