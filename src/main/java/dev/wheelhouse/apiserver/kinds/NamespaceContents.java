package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoreException;
import dev.wheelhouse.apiserver.store.StoredObject;

/**
 * What each namespace has from its first moment to its last: the ServiceAccount {@code default} and the ConfigMap
 * {@code kube-root-ca.crt} (upstream: the controllers {@code serviceaccount} and {@code root-ca-certificate-publisher}; here
 * before the answer to the write that makes it necessary).
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

    /** Takes back a change of the server's certificates. Other config maps stay as they are. */
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
            // The faster writer has called this method as well.
        }
    }
}
