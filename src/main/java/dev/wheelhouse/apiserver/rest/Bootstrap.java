package dev.wheelhouse.apiserver.rest;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.BootstrapPolicy;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.kinds.ClusterState;
import dev.wheelhouse.runtime.Resources;

/**
 * The objects that every cluster has. They are created at the start if the store lacks them (upstream:
 * {@code pkg/controlplane}, {@code pkg/registry/flowcontrol/ensurer}). Besides the roles they are in
 * {@code bootstrap-objects.json}, where {@code NOW} and {@code TODAY} stand for the time of creation.
 */
record Bootstrap(ClusterState state) {
    /** Creates the missing ones: roles, namespaces, priority classes, the Service {@code kubernetes} and so on. */
    void create() {
        String now = Meta.time(state.clock().now());
        for (BootstrapPolicy.Bootstrap policy : BootstrapPolicy.objects()) {
            if (isMissing(policy.resource(), policy.object())) {
                BootstrapPolicy.own(policy.object(), now);
                create(policy.resource(), policy.object(), now);
            }
        }
        String objects = Resources.text(Bootstrap.class, "bootstrap-objects.json").replace("NOW", now)
                .replace("TODAY", now.substring(0, "yyyy-mm-dd".length()));
        for (JsonNode each : Json.read(objects)) {
            if (each.get("object") instanceof ObjectNode object && isMissing(Json.text(each, "resource"), object)) {
                create(Json.text(each, "resource"), object, now);
            }
        }
        state.publishAll();
    }

    private boolean isMissing(String resource, ObjectNode object) {
        return state.store().get(resource, Meta.namespace(object), Meta.name(object)) == null;
    }

    private void create(String resource, ObjectNode object, String now) {
        if (!resource.equals("componentstatuses")) { // Their metadata are their names alone.
            Meta.of(object).put("uid", state.ids().uid()).put("creationTimestamp", now);
        }
        if (resource.equals("services")) {
            state.addresses().allocate(object, true);
        }
        state.create(resource, object);
    }
}
