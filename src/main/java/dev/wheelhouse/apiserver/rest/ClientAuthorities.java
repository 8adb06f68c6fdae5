package dev.wheelhouse.apiserver.rest;

import java.util.Map;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.kinds.ClusterState;

/**
 * The authorities of client certificates, and of the server's own one for servers that extend it, in the ConfigMap in
 * which kube-apiserver publishes them (upstream: {@code pkg/controlplane/controller/clusterauthenticationtrust}). Nodes
 * may read it.
 */
record ClientAuthorities(ClusterState state) {
    private static final String NAMESPACE = "kube-system";
    private static final String NAME = "extension-apiserver-authentication";
    private static final String READERS = "wheelhouse:nodes-read-client-authorities";

    /** @param data the keys of the ConfigMap to set; others stay */
    void publish(Map<String, String> data) {
        ObjectNode map = made("v1", "ConfigMap", NAME);
        map.putObject("data");
        state.create("configmaps", map);
        state.store().guaranteedUpdate("configmaps", NAMESPACE, NAME, present -> {
            ObjectNode before = present.deepCopy();
            data.forEach(Json.child(present, "data")::put);
            return !present.equals(before);
        });
        ObjectNode binding = made("rbac.authorization.k8s.io/v1", "RoleBinding", READERS);
        binding.putObject("roleRef").put("apiGroup", "rbac.authorization.k8s.io").put("kind", "Role").put("name",
                NAME + "-reader");
        binding.putArray("subjects").addObject().put("apiGroup", "rbac.authorization.k8s.io").put("kind", "Group")
                .put("name", "system:nodes");
        state.create("rolebindings.rbac.authorization.k8s.io", binding);
    }

    private ObjectNode made(String apiVersion, String kind, String name) {
        ObjectNode made = Json.object().put("kind", kind).put("apiVersion", apiVersion);
        made.putObject("metadata").put("name", name).put("namespace", NAMESPACE).put("uid", state.ids().uid())
                .put("creationTimestamp", Meta.time(state.clock().now()));
        return made;
    }
}
