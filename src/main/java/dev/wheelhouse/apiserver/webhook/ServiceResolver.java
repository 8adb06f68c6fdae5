package dev.wheelhouse.apiserver.webhook;

import java.net.UnknownHostException;
import java.util.List;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.apiserver.store.StoredObject;

/**
 * Where the Services lead that webhooks and APIServices name (upstream: {@code apiserver/pkg/util/proxy/proxy.go}). One
 * of type ExternalName leads to its host, any other one to an endpoint that is ready: cluster IPs lead nowhere outside
 * of nodes. The pods of hollow nodes run nothing, and their addresses may belong to other machines.
 */
public record ServiceResolver(ObjectStore store) {
    private static final String SLICES = "endpointslices.discovery.k8s.io";
    private static final String HOLLOW = "hollow://";

    /** A host and its port. */
    public record Address(String host, int port) {}

    /** The EndpointSlices of a Service. */
    public List<StoredObject> slices(String namespace, String name) {
        return store.snapshot(SLICES).select(new Selection(namespace,
                LabelSelector.parse("kubernetes.io/service-name=" + name), FieldSelector.everything()));
    }

    /** The external name of a Service; empty if it leads to pods. @throws UnknownHostException if there is none */
    String externalName(String namespace, String name) throws UnknownHostException {
        return Json.text(find(namespace, name).tree(), "spec", "externalName");
    }

    private StoredObject find(String namespace, String name) throws UnknownHostException {
        StoredObject service = store.get(ResourceType.SERVICES.groupResource(), namespace, name);
        if (service == null) {
            throw new UnknownHostException("service \"" + name + "\" not found");
        }
        return service;
    }

    /** Where a port of a Service leads. @throws UnknownHostException if it leads nowhere, with the reason */
    public Address resolve(String namespace, String name, int port) throws UnknownHostException {
        JsonNode spec = find(namespace, name).tree().path("spec");
        if (Json.text(spec, "type").equals("ExternalName")) {
            return new Address(Json.text(spec, "externalName"), port);
        }
        JsonNode wanted = portOf(spec, port);
        if (wanted.isMissingNode()) {
            throw new UnknownHostException("no service port " + port + " found for service \"" + name + "\"");
        }
        for (StoredObject slice : slices(namespace, name)) {
            for (JsonNode each : slice.tree().path("ports")) {
                if (Json.text(each, "name").equals(Json.text(wanted, "name")) && each.has("port")) {
                    for (JsonNode endpoint : slice.tree().path("endpoints")) {
                        if (isReady(endpoint) && !isHollow(Json.text(endpoint, "nodeName"))) {
                            return new Address(endpoint.path("addresses").path(0).asString(""),
                                    (int) Json.number(each, 0, "port"));
                        }
                    }
                }
            }
        }
        throw new UnknownHostException("no endpoints available for service \"" + name + "\"");
    }

    /** The port of a Service with a number; missing if it has none. */
    public static JsonNode portOf(JsonNode spec, long number) {
        return spec.path("ports").valueStream().filter(each -> Json.number(each, 0, "port") == number).findFirst()
                .orElse(spec.path("none"));
    }

    /** Whether an endpoint takes connections. */
    public static boolean isReady(JsonNode endpoint) {
        return endpoint.path("conditions").path("ready").asBoolean(true);
    }

    private boolean isHollow(String node) {
        StoredObject stored = node.isEmpty() ? null : store.get("nodes", "", node);
        return stored != null && Json.text(stored.tree(), "status", "nodeInfo", "containerRuntimeVersion")
                .startsWith(HOLLOW);
    }
}
