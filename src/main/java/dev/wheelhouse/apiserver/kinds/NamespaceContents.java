package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoreException;
import dev.wheelhouse.apiserver.store.StoredObject;

/**
 * The objects that each namespace has until it is deleted: the ServiceAccount {@code default} and the ConfigMap
 * {@code kube-root-ca.crt}. Upstream's controllers {@code serviceaccount} and {@code root-ca-certificate-publisher}
 * create them later. Here they exist before the answer to the write that makes them necessary.
 */
public final class NamespaceContents {
    private static final String ROOT_CA = "kube-root-ca.crt";

    private NamespaceContents() {}

    /** Creates the contents that a namespace lacks. */
    public static void fill(String namespace, ClusterState state) {
        if (state.store().get("serviceaccounts", namespace, "default") == null) {
            state.create("serviceaccounts", state.object("v1", "ServiceAccount", namespace, "default"));
        }
        if (state.store().get("configmaps", namespace, ROOT_CA) == null) {
            ObjectNode config = state.object("v1", "ConfigMap", namespace, ROOT_CA);
            Meta.of(config).putObject("annotations").put("kubernetes.io/description",
                    "The certificate authority of this API server; empty where it is served without TLS.");
            config.putObject("data").put("ca.crt", state.rootCertificates());
            state.create("configmaps", config);
        }
    }

    /** Creates the contents that a namespace lost, unless the namespace itself is ending. */
    static void refill(String name, ClusterState state) {
        StoredObject namespace = state.store().get("namespaces", "", name);
        if (namespace != null && !"Terminating".equals(namespace.field("status.phase"))) {
            fill(name, state);
        }
    }

    /** Restores the config map with the server's certificates after a change. Does nothing for any other. */
    static void restore(ObjectNode config, ClusterState state) {
        ObjectStore store = state.store();
        StoredObject present = Meta.name(config).equals(ROOT_CA)
                ? store.get("configmaps", Meta.namespace(config), ROOT_CA)
                : null;
        if (present == null) {
            return;
        }
        ObjectNode wanted = present.tree();
        ObjectNode data = Json.object().put("ca.crt", state.rootCertificates());
        if (Meta.isDeleting(wanted) || data.equals(wanted.get("data"))) {
            return;
        }
        wanted.set("data", data);
        try {
            store.update("configmaps", wanted, present.version());
        } catch (StoreException.Conflict e) {
            // The other writer calls this method too.
        }
    }
}
