package dev.wheelhouse.apiserver.rest;

import java.util.List;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.BootstrapPolicy;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.kinds.ClusterState;
import dev.wheelhouse.apiserver.store.ObjectStore;

/**
 * The objects that every cluster has. They are created at the start if the store lacks them (upstream:
 * {@code pkg/controlplane}).
 */
final class Bootstrap {
    /** Tells since when the use of the tokens in Secrets is recorded (upstream: {@code legacytokentracking}). */
    private static final String TRACKING = "kube-apiserver-legacy-service-account-token-tracking";

    private final ClusterState state;
    private final ObjectStore store;

    Bootstrap(ClusterState state) {
        this.state = state;
        this.store = state.store();
    }

    private void priorityClass(String name, long value) {
        if (store.get("priorityclasses.scheduling.k8s.io", "", name) == null) {
            ObjectNode priorityClass = state.object("scheduling.k8s.io/v1", "PriorityClass", "", name)
                    .put("value", value).put("preemptionPolicy", "PreemptLowerPriority")
                    .put("description", "For pods that the cluster cannot do without. Higher classes go first.");
            Meta.of(priorityClass).put("generation", 1);
            state.create("priorityclasses.scheduling.k8s.io", priorityClass);
        }
    }

    /** Creates the missing ones: roles, namespaces, priority classes, the Service {@code kubernetes} and so on. */
    void create() {
        for (BootstrapPolicy.Bootstrap policy : BootstrapPolicy.objects()) {
            ObjectNode meta = Meta.of(policy.object());
            if (store.get(policy.resource(), Json.text(meta, "namespace"), Json.text(meta, "name")) == null) {
                meta.put("uid", state.ids().uid()).put("creationTimestamp", Meta.time(state.clock().now()));
                state.create(policy.resource(), policy.object());
            }
        }
        priorityClass("system-cluster-critical", 2_000_000_000);
        priorityClass("system-node-critical", 2_000_001_000);
        for (String name : List.of("default", "kube-system", "kube-public", "kube-node-lease")) {
            if (store.get("namespaces", "", name) == null) {
                ObjectNode namespace = state.object("v1", "Namespace", "", name);
                Meta.of(namespace).putObject("labels").put("kubernetes.io/metadata.name", name);
                namespace.putObject("spec").putArray("finalizers").add("kubernetes");
                namespace.putObject("status").put("phase", "Active");
                state.create("namespaces", namespace);
            }
        }
        if (store.get("configmaps", "kube-system", TRACKING) == null) {
            ObjectNode tracking = state.object("v1", "ConfigMap", "kube-system", TRACKING);
            tracking.putObject("data").put("since", Meta.time(state.clock().now()).substring(0, "yyyy-mm-dd".length()));
            state.create("configmaps", tracking);
        }
        if (store.get("servicecidrs.networking.k8s.io", "", "kubernetes") == null) {
            ObjectNode range = state.object("networking.k8s.io/v1", "ServiceCIDR", "", "kubernetes");
            range.putObject("spec").putArray("cidrs").add("10.96.0.0/12");
            range.putObject("status").putArray("conditions").addObject().put("type", "Ready").put("status", "True")
                    .put("lastTransitionTime", Meta.time(state.clock().now())).put("reason", "")
                    .put("message", "Kubernetes default Service CIDR is ready");
            state.create("servicecidrs.networking.k8s.io", range);
        }
        if (store.get("services", "default", "kubernetes") == null) {
            ObjectNode service = state.object("v1", "Service", "default", "kubernetes");
            Meta.of(service).putObject("labels").put("component", "apiserver").put("provider", "kubernetes");
            ObjectNode spec = service.putObject("spec");
            spec.put("clusterIP", "10.96.0.1").putArray("clusterIPs").add("10.96.0.1");
            spec.put("internalTrafficPolicy", "Cluster").putArray("ipFamilies").add("IPv4");
            spec.put("ipFamilyPolicy", "SingleStack").put("sessionAffinity", "None").put("type", "ClusterIP");
            spec.putArray("ports").addObject().put("name", "https").put("port", 443).put("protocol", "TCP")
                    .put("targetPort", 6443);
            service.putObject("status").putObject("loadBalancer");
            state.addresses().allocate(service, true);
            state.create("services", service);
        }
    }
}
