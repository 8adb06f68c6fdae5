package dev.wheelhouse.apiserver.rest;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.ApiResponse.Live;
import dev.wheelhouse.apiserver.protocol.ProxiedLinks;
import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.apiserver.webhook.ServiceResolver;
import dev.wheelhouse.apiserver.work.Deadline;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * The subresources {@code proxy} of nodes, Services and pods: which server answers (upstream: {@code ResourceLocation}
 * of {@code pkg/registry/core/pod/strategy.go}, {@code service/storage/storage.go}, {@code node/strategy.go}).
 */
record Proxies(ObjectStore store, Kubelets kubelets) {
    /** The methods that are passed on besides those of the verbs. */
    static final Set<String> FURTHER_METHODS = Set.of("HEAD", "OPTIONS");
    private static final Pattern PLACE = Pattern.compile("(?:(|https?):)??([^:]+)(?::([^:]*))?");

    /** The name in a path, which may have a scheme before it and a port behind it: {@code https:web:443}. */
    private record Place(String scheme, String name, String port) {
        static Place of(Target target) {
            Matcher place = PLACE.matcher(target.name());
            if (!place.matches()) {
                String kind = target.type().plural();
                throw Errors.badRequest("invalid " + kind.substring(0, kind.length() - 1) + " request \""
                        + target.name() + "\"");
            }
            return new Place(orEmpty(place.group(1)), place.group(2), orEmpty(place.group(3)));
        }

        /** The server at a host. @throws StatusException 503 for a port that is no number */
        Live.Forward at(String host, String number) {
            if (!number.matches("[0-9]{1,5}")) {
                throw Errors.unavailable("error trying to reach service: dial tcp: lookup tcp/" + number
                        + ": unknown port");
            }
            return new Live.Forward(new Live.Server.Program(scheme.equals("https")), host, Integer.parseInt(number), "",
                    "", new byte[0], 503, "error trying to reach service: ");
        }
    }

    /**
     * The answer of the server behind an object.
     *
     * @throws StatusException 400 if nothing runs there, 404, 503 for a Service without endpoints
     */
    ApiResponse answer(Target target, ApiRequest request) {
        Place place = Place.of(target);
        StoredObject found = store.get(target.type().plural(), target.namespace(), place.name);
        if (found == null) {
            throw Errors.notFound(target.type(), place.name);
        }
        Live.Forward to = switch (target.type().plural()) {
            case "nodes" -> ofNode(place);
            case "pods" -> ofPod(found.tree(), place);
            default -> ofService(target, found.tree(), place);
        };
        String below = target.subresource().substring("proxy".length()) + (request.path().endsWith("/") ? "/" : "");
        String path = below.isEmpty() ? "" : ProxiedLinks.clean(below);
        String own = (target.namespace().isEmpty() ? "/api/v1/" : "/api/v1/namespaces/" + target.namespace() + "/")
                + target.type().plural() + "/" + target.name() + "/proxy";
        return Kubelets
                .forward(new Live.Forward(to.server(), checked(to.host()), to.port(), encoded(path), encoded(own),
                        request.body(), to.failureCode(), to.failure()));
    }

    private Live.Forward ofNode(Place place) {
        Kubelets.Kubelet kubelet = kubelets.find(place.name);
        if (kubelet == null) {
            throw Errors.badRequest("the node " + place.name
                    + " is hollow, or has not told its address yet: there is no server to proxy to");
        }
        return place.port.isEmpty() || place.port.equals(String.valueOf(kubelet.port()))
                ? kubelet.forward("", 503, "error trying to reach service: ")
                : place.at(kubelet.host(), place.port);
    }

    private Live.Forward ofPod(ObjectNode pod, Place place) {
        List<JsonNode> ports = pod.path("spec").path("containers").valueStream()
                .flatMap(each -> each.path("ports").valueStream()).toList();
        String port = place.port.isEmpty()
                ? ports.isEmpty() ? place.scheme.equals("https") ? "443" : "80" : number(ports.getFirst())
                : ports.stream().filter(each -> Json.text(each, "name").equals(place.port)).findFirst()
                        .map(Proxies::number).orElse(place.port);
        if (isHollow(pod)) {
            throw Kubelets.nothingRuns(pod, "proxy");
        }
        return place.at(Json.text(pod.path("status").path("podIPs").path(0), "ip"), port);
    }

    private static String number(JsonNode port) {
        return String.valueOf(Json.number(port, 0, "containerPort"));
    }

    private boolean isHollow(ObjectNode pod) {
        return kubelets.find(Json.text(pod, "spec", "nodeName")) == null;
    }

    private Live.Forward ofService(Target target, ObjectNode service, Place place) {
        String port = !place.port.matches("[0-9]{1,9}")
                ? place.port
                : ServiceResolver.portOf(service.path("spec"), Long.parseLong(place.port))
                        .map(each -> Json.text(each, "name"))
                        .orElseThrow(() -> Errors.unavailable("no service port " + Long.parseLong(place.port)
                                + " found for service \"" + place.name + "\""));
        StoredObject endpoints = store.get("endpoints", target.namespace(), place.name);
        if (endpoints == null) {
            throw Errors.notFound(target.type(), place.name);
        }
        JsonNode subsets = endpoints.tree().path("subsets");
        List<Live.Forward> found = new ArrayList<>();
        StatusException hollow = null;
        for (JsonNode subset : subsets) {
            JsonNode open = subset.path("ports").valueStream()
                    .filter(each -> Json.text(each, "name").equals(port)).findFirst().orElse(MissingNode.getInstance());
            for (JsonNode address : open.isMissingNode() ? Json.array() : subset.path("addresses")) {
                Deadline.check();
                ObjectNode pod = podAt(address, target.namespace());
                if (pod != null && isHollow(pod)) {
                    hollow = Kubelets.nothingRuns(pod, "proxy");
                } else if (pod != null) {
                    found.add(place.at(Json.text(address, "ip"), String.valueOf(Json.number(open, 0, "port"))));
                }
            }
        }
        if (found.isEmpty()) {
            throw hollow != null
                    ? hollow
                    : Errors.unavailable("no endpoints available for service \""
                            + (subsets.isEmpty() ? place.name : target.name()) + "\"");
        }
        return found.get(ThreadLocalRandom.current().nextInt(found.size()));
    }

    /** The pod that has the address of an endpoint; null if there is none. Other addresses are not proxied to. */
    private @Nullable ObjectNode podAt(JsonNode address, String namespace) {
        StoredObject pod = Json.text(address, "targetRef", "namespace").equals(namespace)
                ? store.get("pods", namespace, Json.text(address, "targetRef", "name"))
                : null;
        return pod != null && pod.tree().path("status").path("podIPs").valueStream()
                .anyMatch(each -> Json.text(each, "ip").equals(Json.text(address, "ip"))) ? pod.tree() : null;
    }

    /** @throws StatusException 400 for an address that only this machine, or no machine, has */
    private static String checked(String host) {
        try {
            for (InetAddress address : InetAddress.getAllByName(host)) {
                if (host.isEmpty() || address.isLoopbackAddress() || address.isLinkLocalAddress()
                        || address.isMulticastAddress() || address.isAnyLocalAddress()) {
                    throw Errors.badRequest("address not allowed");
                }
            }
            return host;
        } catch (UnknownHostException e) {
            throw Errors.badRequest("lookup " + host + ": no such host");
        }
    }

    /** A path as Go's {@code url.EscapedPath} writes it. */
    static String encoded(String path) {
        StringBuilder encoded = new StringBuilder(path.length());
        for (byte each : path.getBytes(StandardCharsets.UTF_8)) {
            boolean plain = each >= '0' && each <= '9' || each >= 'a' && each <= 'z' || each >= 'A' && each <= 'Z'
                    || "-_.~$&+,/:;=@".indexOf(each) >= 0;
            encoded.append(plain ? String.valueOf((char) each) : String.format("%%%02X", each));
        }
        return encoded.toString();
    }
}
