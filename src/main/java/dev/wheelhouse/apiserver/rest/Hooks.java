package dev.wheelhouse.apiserver.rest;

import java.util.List;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.admission.Quotas;
import dev.wheelhouse.apiserver.auth.BootstrapPolicy;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.kinds.RoleAggregation;
import dev.wheelhouse.apiserver.kinds.ServiceAddresses;
import dev.wheelhouse.apiserver.resources.CustomResources;
import dev.wheelhouse.apiserver.store.Ids;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoreException;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.runtime.Clock;

/**
 * What follows from a committed write before its answer: each namespace has a {@code default} ServiceAccount and the
 * {@code kube-root-ca.crt} ConfigMap (upstream has controllers for them), Services give back their addresses, custom
 * resource definitions are served, and cluster roles are aggregated.
 */
final class Hooks {
    private static final String ROOT_CA = "kube-root-ca.crt";

    private final ObjectStore store;
    private final Ids ids;
    private final Clock clock;
    private final ServiceAddresses addresses;
    private final CustomResources customResources;
    private final Quotas quotas;
    private final RoleAggregation aggregation;
    private final String rootCertificates;

    Hooks(ObjectStore store, Ids ids, Clock clock, ServiceAddresses addresses, CustomResources customResources,
            Quotas quotas, String rootCertificates) {
        this.store = store;
        this.ids = ids;
        this.clock = clock;
        this.addresses = addresses;
        this.customResources = customResources;
        this.quotas = quotas;
        this.aggregation = new RoleAggregation(store);
        this.rootCertificates = rootCertificates;
    }

    /** @param before null for a creation */
    void written(ResourceType type, @Nullable ObjectNode before, ObjectNode after) {
        switch (type.groupResource()) {
            case "namespaces" -> {
                if (before == null) {
                    fill(Meta.name(after));
                }
            }
            case "configmaps" -> {
                if (before != null && Meta.name(after).equals(ROOT_CA)) {
                    restoreRootCertificates(Meta.namespace(after));
                }
            }
            case "customresourcedefinitions.apiextensions.k8s.io" -> customResources.serve(after);
            case RoleAggregation.RESOURCE -> aggregation.refresh();
            default -> {
            }
        }
    }

    void deleted(ResourceType type, ObjectNode object) {
        switch (type.groupResource()) {
            case "services" -> addresses.release(object);
            case "customresourcedefinitions.apiextensions.k8s.io" -> customResources.withdraw(object);
            case RoleAggregation.RESOURCE -> aggregation.refresh();
            case "serviceaccounts", "configmaps" -> {
                var namespace = store.get("namespaces", "", Meta.namespace(object));
                if (namespace != null && !"Terminating".equals(namespace.field("status.phase"))) {
                    fill(Meta.namespace(object));
                }
            }
            default -> customResources.finishDeletion(type.groupResource());
        }
        quotas.released(type, Meta.namespace(object));
    }

    void fill(String namespace) {
        if (store.get("serviceaccounts", namespace, "default") == null) {
            create("serviceaccounts", object("ServiceAccount", namespace, "default"));
        }
        if (store.get("configmaps", namespace, ROOT_CA) == null) {
            ObjectNode config = object("ConfigMap", namespace, ROOT_CA);
            Meta.of(config).putObject("annotations").put("kubernetes.io/description",
                    "The certificate authority of this API server; empty where it is served without TLS.");
            config.putObject("data").put("ca.crt", rootCertificates);
            create("configmaps", config);
        }
    }

    /** Upstream's root-ca-certificate-publisher takes back what others write. */
    private void restoreRootCertificates(String namespace) {
        StoredObject present = store.get("configmaps", namespace, ROOT_CA);
        if (present == null) {
            return;
        }
        ObjectNode config = present.tree();
        ObjectNode data = Json.object().put("ca.crt", rootCertificates);
        if (Meta.isDeleting(config) || data.equals(config.get("data"))) {
            return;
        }
        config.set("data", data);
        try {
            store.update("configmaps", config, present.version());
        } catch (StoreException.Conflict e) {
            // Who was faster has called this method as well.
        }
    }

    ObjectNode object(String kind, String namespace, String name) {
        ObjectNode object = Json.object().put("kind", kind).put("apiVersion", "v1");
        ObjectNode meta = object.putObject("metadata").put("name", name);
        if (!namespace.isEmpty()) {
            meta.put("namespace", namespace);
        }
        meta.put("uid", ids.uid()).put("creationTimestamp", Meta.time(clock.now()));
        return object;
    }

    /** Stores a bootstrap object, unless there is one. */
    void create(String resource, ObjectNode object) {
        try {
            store.create(resource, object);
        } catch (StoreException.Exists e) {
            // Somebody was faster.
        }
    }

    private void priorityClass(String name, long value) {
        if (store.get("priorityclasses.scheduling.k8s.io", "", name) == null) {
            ObjectNode priorityClass = object("PriorityClass", "", name).put("apiVersion", "scheduling.k8s.io/v1")
                    .put("value", value).put("preemptionPolicy", "PreemptLowerPriority")
                    .put("description", "For pods that the cluster cannot do without. Higher classes go first.");
            Meta.of(priorityClass).put("generation", 1);
            create("priorityclasses.scheduling.k8s.io", priorityClass);
        }
    }

    /** The roles, namespaces, priority classes and the Service that every cluster has. */
    void bootstrap() {
        for (BootstrapPolicy.Bootstrap policy : BootstrapPolicy.objects()) {
            ObjectNode meta = Meta.of(policy.object());
            if (store.get(policy.resource(), Json.text(meta, "namespace"), Json.text(meta, "name")) == null) {
                meta.put("uid", ids.uid()).put("creationTimestamp", Meta.time(clock.now()));
                create(policy.resource(), policy.object());
            }
        }
        aggregation.refresh();
        priorityClass("system-cluster-critical", 2_000_000_000);
        priorityClass("system-node-critical", 2_000_001_000);
        for (String name : List.of("default", "kube-system", "kube-public", "kube-node-lease")) {
            if (store.get("namespaces", "", name) == null) {
                ObjectNode namespace = object("Namespace", "", name);
                Meta.of(namespace).putObject("labels").put("kubernetes.io/metadata.name", name);
                namespace.putObject("spec").putArray("finalizers").add("kubernetes");
                namespace.putObject("status").put("phase", "Active");
                create("namespaces", namespace);
            }
            fill(name);
        }
        if (store.get("servicecidrs.networking.k8s.io", "", "kubernetes") == null) {
            ObjectNode range = object("ServiceCIDR", "", "kubernetes").put("apiVersion", "networking.k8s.io/v1");
            range.putObject("spec").putArray("cidrs").add("10.96.0.0/12");
            range.putObject("status").putArray("conditions").addObject().put("type", "Ready").put("status", "True")
                    .put("lastTransitionTime", Meta.time(clock.now())).put("reason", "")
                    .put("message", "the range that the server takes cluster IPs from");
            create("servicecidrs.networking.k8s.io", range);
        }
        if (store.get("services", "default", "kubernetes") == null) {
            ObjectNode service = object("Service", "default", "kubernetes");
            Meta.of(service).putObject("labels").put("component", "apiserver").put("provider", "kubernetes");
            ObjectNode spec = service.putObject("spec");
            spec.put("clusterIP", "10.96.0.1").putArray("clusterIPs").add("10.96.0.1");
            spec.put("internalTrafficPolicy", "Cluster").putArray("ipFamilies").add("IPv4");
            spec.put("ipFamilyPolicy", "SingleStack").put("sessionAffinity", "None").put("type", "ClusterIP");
            spec.putArray("ports").addObject().put("name", "https").put("port", 443).put("protocol", "TCP")
                    .put("targetPort", 6443);
            service.putObject("status").putObject("loadBalancer");
            addresses.allocate(service, true);
            create("services", service);
        }
    }
}
