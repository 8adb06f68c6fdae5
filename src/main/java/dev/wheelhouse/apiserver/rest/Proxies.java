package dev.wheelhouse.apiserver.rest;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.store.StoredObject;

/** The subresources {@code proxy} of nodes, Services and pods, as far as they lead somewhere. */
final class Proxies {
    private Proxies() {}

    /**
     * The answer of a node's kubelet; null if nothing is behind the object on this server.
     *
     * @throws StatusException 404, 503 for a Service without endpoints
     */
    static @Nullable ApiResponse answer(Reads reads, Kubelets kubelets, Target target, ApiRequest request) {
        switch (target.type().plural()) {
            case "services" -> checkEndpoints(reads, target);
            case "nodes" -> {
                reads.find(target);
                return kubelets.proxy(target, request);
            }
            default -> reads.find(target);
        }
        return null;
    }

    /** The name may have a scheme before it and a port behind it: {@code https:web:443}. */
    private static void checkEndpoints(Reads reads, Target target) {
        String[] parts = target.name().split(":", -1);
        String name = parts[parts.length == 3 ? 1 : 0];
        String port = parts.length == 1 ? "" : parts[parts.length - 1];
        if (parts.length > 3 || name.isEmpty()) {
            throw Errors.badRequest("invalid service request \"" + target.name() + "\"");
        }
        StoredObject service = reads.store().get("services", target.namespace(), name);
        if (service == null) {
            throw Errors.notFound(target.type(), name);
        }
        if (port.matches("[0-9]{1,9}")) {
            long number = Long.parseLong(port);
            JsonNode named = service.tree().path("spec").path("ports").valueStream()
                    .filter(each -> Json.number(each, 0, "port") == number).findFirst().orElse(null);
            if (named == null) {
                throw Errors.unavailable("no service port " + number + " found for service \"" + name + "\"");
            }
            port = Json.text(named, "name");
        }
        StoredObject endpoints = reads.store().get("endpoints", target.namespace(), name);
        if (endpoints == null) {
            throw Errors.notFound(target.type(), name);
        }
        JsonNode subsets = endpoints.tree().path("subsets");
        String wanted = port;
        boolean ready = subsets.valueStream().anyMatch(subset -> !subset.path("addresses").isEmpty() && subset
                .path("ports").valueStream().anyMatch(each -> Json.text(each, "name").equals(wanted)));
        if (!ready) {
            throw Errors.unavailable("no endpoints available for service \""
                    + (subsets.isEmpty() ? name : target.name()) + "\"");
        }
    }
}
