package dev.wheelhouse.apiserver.kinds;

import java.util.ArrayList;
import java.util.List;

import io.kubernetes.client.openapi.models.V1LabelSelector;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.apiserver.store.StoreException;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.client.ModelJson;

/**
 * Gives each ClusterRole with an aggregation rule the rules of the roles that it selects. A controller does so upstream
 * ({@code pkg/controller/clusterroleaggregation}); this server does so before it answers the write of a role.
 */
public final class RoleAggregation {
    private static final String RESOURCE = "clusterroles.rbac.authorization.k8s.io";
    /**
     * The maximum number of passes. Each pass follows every chain of roles that aggregate each other by one step at
     * least.
     */
    private static final int MOST_PASSES = 20;

    private RoleAggregation() {}

    /** Aggregates the stored roles until nothing changes any more. */
    public static void refresh(ObjectStore store) {
        for (int pass = 0; pass < MOST_PASSES; pass++) {
            boolean changed = false;
            List<StoredObject> roles = store.snapshot(RESOURCE).select(Selection.all());
            for (StoredObject stored : roles) {
                changed |= aggregate(store, stored, roles);
            }
            if (!changed) {
                return;
            }
        }
    }

    private static boolean aggregate(ObjectStore store, StoredObject stored, List<StoredObject> roles) {
        ObjectNode role = stored.tree();
        if (!(Json.at(role, "aggregationRule", "clusterRoleSelectors") instanceof ArrayNode selectors)) {
            return false;
        }
        ArrayNode rules = Json.array();
        for (StoredObject source : selected(selectors, stored, roles)) {
            if (source.tree().get("rules") instanceof ArrayNode sourceRules) {
                for (JsonNode rule : sourceRules) {
                    if (!contains(rules, rule)) {
                        rules.add(rule);
                    }
                }
            }
        }
        if (rules.equals(role.get("rules")) || (rules.isEmpty() && !(role.get("rules") instanceof ArrayNode))) {
            return false;
        }
        role.set("rules", rules);
        try {
            store.update(RESOURCE, role, stored.version());
        } catch (StoreException.Conflict e) {
            // Another writer was faster. The next pass sees its change.
        }
        return true;
    }

    private static List<StoredObject> selected(ArrayNode selectors, StoredObject self, List<StoredObject> roles) {
        List<StoredObject> selected = new ArrayList<>();
        for (JsonNode selector : selectors) {
            LabelSelector labels = LabelSelector.of(ModelJson.read(selector, V1LabelSelector.class));
            for (StoredObject role : roles) {
                if (!role.name().equals(self.name()) && labels.matches(role.labels()) && !selected.contains(role)) {
                    selected.add(role);
                }
            }
        }
        return selected;
    }

    private static boolean contains(ArrayNode rules, JsonNode rule) {
        for (JsonNode known : rules) {
            if (known.equals(rule)) {
                return true;
            }
        }
        return false;
    }
}
