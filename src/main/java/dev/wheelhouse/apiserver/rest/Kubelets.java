package dev.wheelhouse.apiserver.rest;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.metrics.NodeUsages;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.ApiResponse.Live;
import dev.wheelhouse.apiserver.protocol.QueryParameters;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.apiserver.webhook.ServiceResolver;
import dev.wheelhouse.apiserver.work.Deadline;

/**
 * The kubelets of nodes that are not hollow, which say what they use, and to which logs and connections of their pods
 * lead (upstream:
 * {@code pkg/kubelet/client/kubelet_client.go}, {@code pkg/registry/core/pod/strategy.go}).
 */
record Kubelets(ObjectStore store, Live.Caller caller) implements NodeUsages {
    private static final Logger log = LoggerFactory.getLogger(Kubelets.class);
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final int DEFAULT_PORT = 10250;
    /** The types of addresses in the order in which they are tried, which begins as kubeadm's. */
    private static final List<String> ADDRESSES = List.of("InternalIP", "ExternalIP", "Hostname", "InternalDNS",
            "ExternalDNS");
    private static final Map<String, String> STREAMS = Map.of("stdin", "input", "stdout", "output", "stderr", "error",
            "tty", "tty");

    record Kubelet(String host, int port) {
        Live.Forward forward(String path, int failureCode, String failure) {
            return new Live.Forward(new Live.Server.Kubelet(), host, port, path, "", new byte[0], failureCode, failure);
        }

        String authority() {
            return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
        }
    }

    /**
     * The kubelet of a node; null if the node is hollow or unknown, or has reported nothing yet.
     *
     * @throws StatusException 500 if its node has no address
     */
    @Nullable
    Kubelet find(String name) {
        StoredObject stored = name.isEmpty() ? null : store.get("nodes", "", name);
        if (stored == null) {
            return null;
        }
        JsonNode status = stored.tree().path("status");
        long port = Json.number(status, 0, "daemonEndpoints", "kubeletEndpoint", "Port");
        JsonNode addresses = status.path("addresses");
        if (ServiceResolver.isHollow(stored) || addresses.isEmpty() && port == 0) {
            return null;
        }
        for (String type : ADDRESSES) {
            for (JsonNode address : addresses) {
                if (Json.text(address, "type").equals(type)) {
                    return new Kubelet(Json.text(address, "address"), port > 0 ? (int) port : DEFAULT_PORT);
                }
            }
        }
        throw Errors.internal("no preferred addresses found; known addresses: []");
    }

    /** The usage that a node reports; null if it is hollow. */
    @Override
    public @Nullable Usage of(String node) {
        try {
            Kubelet kubelet = find(node);
            if (kubelet == null) {
                return null;
            }
            ApiResponse.Content answer = caller.get(kubelet.forward("/stats/summary", 0, ""),
                    Deadline.atMost(PATIENCE));
            return answer.code() == 200 ? Usage.of(Json.read(answer.body())) : Usage.UNKNOWN;
        } catch (IOException | StatusException | JacksonException | ArithmeticException e) {
            log.debug("the node {} does not say what it uses", node, e);
            return Usage.UNKNOWN;
        }
    }

    /** The answer of the kubelet to a request for logs; null if the node is hollow. */
    @Nullable
    ApiResponse logs(ObjectNode pod, String container, QueryParameters query) {
        Kubelet kubelet = find(Json.text(pod, "spec", "nodeName"));
        if (kubelet == null) {
            return null;
        }
        Map<String, String> parameters = new TreeMap<>();
        for (String flag : List.of("follow", "previous", "timestamps")) {
            if (query.flag(flag)) {
                parameters.put(flag, "true");
            }
        }
        for (String name : List.of("sinceSeconds", "sinceTime", "tailLines", "limitBytes")) {
            if (!query.get(name).isEmpty()) {
                parameters.put(name, query.get(name));
            }
        }
        String path = path(pod, "containerLogs", container) + (parameters.isEmpty() ? "" : "?") + parameters.entrySet()
                .stream().map(each -> each.getKey() + "=" + encoded(each.getValue())).collect(Collectors.joining("&"));
        return forward(kubelet.forward(path, 500, "Get \"https://" + kubelet.authority() + path + "\": "));
    }

    /** The answer of the kubelet to exec, attach or port-forward; null if the node is hollow. */
    @Nullable
    ApiResponse connect(ObjectNode pod, String container, String subresource, QueryParameters query) {
        Kubelet kubelet = find(Json.text(pod, "spec", "nodeName"));
        if (kubelet == null) {
            return null;
        }
        StringBuilder parameters = new StringBuilder();
        if (subresource.equals("portforward")) {
            if (query.has("ports")) {
                parameters.append("&port=").append(encoded(String.join(",", query.all("ports"))));
            }
        } else {
            query.all("command").forEach(word -> parameters.append("&command=").append(encoded(word)));
            new TreeMap<>(STREAMS).forEach((name, shown) -> parameters
                    .append(query.flag(name) ? "&" + shown + "=1" : ""));
        }
        String path = subresource.equals("portforward")
                ? path(pod, "portForward", "")
                : path(pod, subresource, container);
        return forward(kubelet.forward(path + (parameters.isEmpty() ? "" : "?" + parameters.substring(1)), 500,
                "error dialing backend: "));
    }

    /** The refusal to connect to a pod of a hollow node. */
    static StatusException nothingRuns(ObjectNode pod, String subresource) {
        return Errors.badRequest("the pod " + Meta.namespace(pod) + "/" + Meta.name(pod)
                + " runs on a hollow node: no process runs, so " + subresource + " has nothing to connect to");
    }

    static ApiResponse forward(Live.Forward to) {
        return ApiResponse.text(501, "Only a connection can be passed on.\n").withLive(to);
    }

    private static String path(ObjectNode pod, String verb, String container) {
        return "/" + verb + "/" + Meta.namespace(pod) + "/" + Meta.name(pod)
                + (container.isEmpty() ? "" : "/" + container);
    }

    /** A value of a query as Go's {@code url.QueryEscape} writes it. */
    private static String encoded(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8).replace("*", "%2A").replace("%7E", "~");
    }
}
