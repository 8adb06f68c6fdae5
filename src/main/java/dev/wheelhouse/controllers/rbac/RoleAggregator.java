package dev.wheelhouse.controllers.rbac;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1PolicyRule;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Gives each ClusterRole with an aggregation rule the rules of the ClusterRoles that it selects (upstream:
 * {@code pkg/controller/clusterroleaggregation}). A change of any role syncs all aggregated roles, because a role may
 * select aggregated ones.
 */
public final class RoleAggregator extends ObjectController<V1ClusterRole> {
    public static final String NAME = "clusterrole-aggregation-controller";

    static final ResourceType CLUSTER_ROLES = new ResourceType("rbac.authorization.k8s.io", "v1", "clusterroles",
            "ClusterRole", false);
    private static final String AGGREGATED = NAME + "/aggregated";

    public RoleAggregator(ControllerContext context) {
        super(NAME, context, CLUSTER_ROLES, V1ClusterRole.class);
        primary.getIndexer().addIndex(AGGREGATED,
                role -> role.getAggregationRule() == null ? List.of() : List.of(AGGREGATED));
        watch(primary).enqueueEach(role -> Stream.concat(
                Stream.of(role).filter(changed -> changed.getAggregationRule() != null),
                primary.getIndexer().byIndex(AGGREGATED, AGGREGATED).stream()).map(ObjectKey::of));
    }

    @Override
    protected Result sync(ObjectKey key, V1ClusterRole role, SyncRun run) {
        return run.execute(decide(role, primary.getIndexer().list())).toResult();
    }

    /**
     * The write that gives a role the rules that its aggregation rule selects. It names the role's UID, so that it does
     * not make a deleted role again, as upstream's does. A pure function.
     *
     * @param roles all ClusterRoles
     * @throws IllegalArgumentException if a selector of the role is invalid
     */
    static List<Action> decide(V1ClusterRole role, List<V1ClusterRole> roles) {
        if (role.getAggregationRule() == null) {
            return List.of();
        }
        List<V1ClusterRole> sorted = roles.stream().sorted(Comparator.comparing(RoleAggregator::name)).toList();
        Set<Map<String, List<String>>> rules = new LinkedHashSet<>();
        for (V1LabelSelector selector : orEmpty(role.getAggregationRule().getClusterRoleSelectors())) {
            LabelSelector labels = LabelSelector.of(selector);
            for (V1ClusterRole other : sorted) {
                if (!name(other).equals(name(role)) && labels.matches(other.getMetadata().getLabels())) {
                    rules.addAll(rules(other));
                }
            }
        }
        if (new ArrayList<>(rules).equals(rules(role))) {
            return List.of();
        }
        Map<String, Object> wanted = new LinkedHashMap<>();
        wanted.put("apiVersion", CLUSTER_ROLES.apiVersion());
        wanted.put("kind", CLUSTER_ROLES.kind());
        Map<String, Object> metadata = new LinkedHashMap<>();
        metadata.put("name", name(role));
        metadata.put("uid", String.valueOf(role.getMetadata().getUid()));
        wanted.put("metadata", metadata);
        if (!rules.isEmpty()) {
            wanted.put("rules", rules);
        }
        return List.of(new Action.Apply(CLUSTER_ROLES, ObjectKey.of(role), "", V1ClusterRole.class, NAME, true,
                ModelJson.write(wanted), "the roles that it aggregates have other rules"));
    }

    private static String name(V1ClusterRole role) {
        return String.valueOf(role.getMetadata().getName());
    }

    /** The rules of a role. An empty list equals a missing one, as in Go. */
    private static List<Map<String, List<String>>> rules(V1ClusterRole role) {
        List<Map<String, List<String>>> rules = new ArrayList<>();
        for (V1PolicyRule rule : orEmpty(role.getRules())) {
            Map<String, List<String>> fields = new LinkedHashMap<>();
            fields.put("verbs", orEmpty(rule.getVerbs()));
            fields.put("apiGroups", orEmpty(rule.getApiGroups()));
            fields.put("resources", orEmpty(rule.getResources()));
            fields.put("resourceNames", orEmpty(rule.getResourceNames()));
            fields.put("nonResourceURLs", orEmpty(rule.getNonResourceURLs()));
            fields.values().removeIf(List::isEmpty);
            rules.add(fields);
        }
        return rules;
    }
}
