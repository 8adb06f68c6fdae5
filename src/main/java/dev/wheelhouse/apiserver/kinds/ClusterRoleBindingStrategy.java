package dev.wheelhouse.apiserver.kinds;

/** Cluster role bindings (upstream: {@code pkg/registry/rbac/clusterrolebinding}). */
final class ClusterRoleBindingStrategy extends RoleBindingStrategy {
    ClusterRoleBindingStrategy() {
        super("ClusterRoleBinding");
    }

    @Override
    boolean isCluster() {
        return true;
    }
}
