package dev.wheelhouse.apiserver.kinds;

import java.util.Map;
import java.util.function.Function;


import dev.wheelhouse.apiserver.kinds.KindTable.Cell;
import dev.wheelhouse.apiserver.table.Item;

/**
 * Role bindings and cluster role bindings (upstream: {@code pkg/registry/rbac/rolebinding} and
 * {@code pkg/registry/rbac/clusterrolebinding}).
 */
final class RoleBindingStrategy extends Strategy {
    private static final String GROUP = "rbac.authorization.k8s.io";

    /** @param kind {@code RoleBinding} or {@code ClusterRoleBinding} */
    RoleBindingStrategy(String kind) {
        super(GROUP, kind, Map.of("users", subjects("User", s -> s.text("name")), "groups", subjects("Group", s -> s.text("name")),
                "serviceAccounts",
                subjects("ServiceAccount", s -> s.text("namespace") + "/" + s.text("name"))));
    }

    private static Cell subjects(String kind, Function<Item, String> text) {
        return o -> String.join(", ", o.items("subjects").stream().filter(s -> s.text("kind").equals(kind)).map(text)
                .toList());
    }

}
