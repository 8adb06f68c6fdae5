package dev.wheelhouse.quota;

import java.util.List;
import java.util.stream.Stream;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ResourceQuotaSpec;
import io.kubernetes.client.openapi.models.V1ScopedResourceSelectorRequirement;

/** The scopes of a quota. */
public final class Scopes {
    private Scopes() {}

    /** Whether all scopes of a quota include an object. A quota without scopes covers all objects. */
    public static boolean cover(V1ResourceQuotaSpec quota, Evaluator evaluator, KubernetesObject object) {
        Stream<V1ScopedResourceSelectorRequirement> plain = Stream.ofNullable(quota.getScopes()).flatMap(List::stream)
                .map(scope -> new V1ScopedResourceSelectorRequirement().scopeName(scope).operator("Exists"));
        return Stream.concat(plain, Stream.ofNullable(quota.getScopeSelector())
                .flatMap(selector -> Stream.ofNullable(selector.getMatchExpressions())).flatMap(List::stream))
                .allMatch(scope -> evaluator.isIn(scope, object));
    }

    /** Whether a requirement selects an object by the name of its class, which is empty if it has none. */
    static boolean selects(V1ScopedResourceSelectorRequirement scope, String name) {
        boolean listed = scope.getValues() != null && scope.getValues().contains(name);
        return switch (scope.getOperator()) {
            case "In" -> listed;
            case "NotIn" -> !listed;
            case "DoesNotExist" -> name.isEmpty();
            default -> !name.isEmpty();
        };
    }
}
