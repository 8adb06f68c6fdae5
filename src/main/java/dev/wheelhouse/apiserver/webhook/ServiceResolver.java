package dev.wheelhouse.apiserver.webhook;

import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;

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

    /** Where a URL leads. A host of the form {@code NAME.NAMESPACE.svc} is that of a Service. */
    Address resolve(String host, int port) throws UnknownHostException {
        String[] parts = host.split("\\.", -1);
        return parts.length == 3 && parts[2].equals("svc")
                ? resolve(parts[1], parts[0], port)
                : new Address(host, port);
    }

    /** Where a port of a Service leads. @throws UnknownHostException if it leads nowhere, with the reason */
    public Address resolve(String namespace, String name, int port) throws UnknownHostException {
        StoredObject service = store.get(ResourceType.SERVICES.groupResource(), namespace, name);
        if (service == null) {
            throw new UnknownHostException("service \"" + name + "\" not found");
        }
        JsonNode spec = service.tree().path("spec");
        if (Json.text(spec, "type").equals("ExternalName")) {
            return new Address(Json.text(spec, "externalName"), port);
        }
        String wanted = Json.text(portOf(spec, port).orElseThrow(() -> new UnknownHostException(
                "no service port " + port + " found for service \"" + name + "\"")), "name");
        boolean hollow = false;
        for (StoredObject slice : slices(namespace, name)) {
            for (JsonNode each : slice.tree().path("ports")) {
                if (Json.text(each, "name").equals(wanted) && each.has("port")) {
                    for (JsonNode endpoint : slice.tree().path("endpoints")) {
                        StoredObject node = store.get("nodes", "", Json.text(endpoint, "nodeName"));
                        boolean runsNothing = node != null && isHollow(node);
                        hollow |= runsNothing;
                        if (isReady(endpoint) && !runsNothing) {
                            return new Address(endpoint.path("addresses").path(0).asString(""),
                                    (int) Json.number(each, 0, "port"));
                        }
                    }
                }
            }
        }
        throw new UnknownHostException("no endpoints available for service \"" + name + "\"" + (hollow
                ? ": pods of hollow nodes run nothing; make it of type ExternalName with the host of the server, such "
                        + "as localhost"
                : ""));
    }

    /** The port of a Service with a number. */
    public static Optional<JsonNode> portOf(JsonNode spec, long number) {
        return spec.path("ports").valueStream().filter(each -> Json.number(each, 0, "port") == number).findFirst();
    }

    /** Whether an endpoint takes connections. */
    public static boolean isReady(JsonNode endpoint) {
        return endpoint.path("conditions").path("ready").asBoolean(true);
    }

    /** Whether the pods of a Node run nothing. */
    public static boolean isHollow(StoredObject node) {
        return Json.text(node.tree(), "status", "nodeInfo", "containerRuntimeVersion").startsWith(HOLLOW);
    }
}
