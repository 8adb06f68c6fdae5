package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

import static dev.wheelhouse.apiserver.json.Json.child;
import static dev.wheelhouse.apiserver.json.Json.text;
import static dev.wheelhouse.apiserver.kinds.DefaultRules.isEmpty;
import static dev.wheelhouse.apiserver.kinds.DefaultRules.set;

/**
 * The defaults of services (upstream: {@code pkg/apis/core/v1/defaults.go}, and for IP families {@code pkg/registry/core/service}, on a cluster
 * with IPv4 only).
 */
final class ServiceDefaults {
    private static final int AFFINITY_TIMEOUT_SECONDS = 10_800;

    private ServiceDefaults() {}

    static void service(ObjectNode service) {
        ObjectNode spec = child(service, "spec");
        set(spec, "sessionAffinity", "None");
        if (text(spec, "sessionAffinity").equals("None")) {
            spec.remove("sessionAffinityConfig");
        } else if (text(spec, "sessionAffinity").equals("ClientIP")) {
            set(child(child(spec, "sessionAffinityConfig"), "clientIP"), "timeoutSeconds", AFFINITY_TIMEOUT_SECONDS);
        }
        set(spec, "type", "ClusterIP");
        if (spec.get("ports") instanceof ArrayNode ports) {
            for (JsonNode port : ports) {
                port((ObjectNode) port);
            }
        }
        traffic(service, spec);
        ipFamilies(spec);
    }

    private static void port(ObjectNode port) {
        set(port, "protocol", "TCP");
        JsonNode target = Json.at(port, "targetPort");
        boolean unset = target == null || target.isString() && target.stringValue().isEmpty()
                || target.isNumber() && target.intValue() == 0;
        if (unset) {
            port.put("targetPort", (int) Json.number(port, 0, "port"));
        }
    }

    private static void traffic(ObjectNode service, ObjectNode spec) {
        String type = text(spec, "type");
        boolean external = type.equals("NodePort") || type.equals("LoadBalancer");
        if (external || type.equals("ClusterIP") && !isEmpty(spec, "externalIPs")) {
            set(spec, "externalTrafficPolicy", "Cluster");
        }
        if (external || type.equals("ClusterIP")) {
            set(spec, "internalTrafficPolicy", "Cluster");
        }
        if (!type.equals("LoadBalancer")) {
            return;
        }
        set(spec, "allocateLoadBalancerNodePorts", true);
        JsonNode ingress = Json.at(service, "status", "loadBalancer", "ingress");
        if (ingress != null) {
            for (JsonNode point : ingress) {
                if (!text(point, "ip").isEmpty()) {
                    set((ObjectNode) point, "ipMode", "VIP");
                }
            }
        }
    }

    private static void ipFamilies(ObjectNode spec) {
        if (text(spec, "type").equals("ExternalName")) {
            return;
        }
        boolean headless = text(spec, "clusterIP").equals("None");
        boolean anyFamily = headless && isEmpty(spec, "selector");
        set(spec, "ipFamilyPolicy", anyFamily ? "RequireDualStack" : "SingleStack");
        if (isEmpty(spec, "ipFamilies")) {
            ArrayNode families = spec.putArray("ipFamilies").add("IPv4");
            if (anyFamily && !text(spec, "ipFamilyPolicy").equals("SingleStack")) {
                families.add("IPv6");
            }
        }
    }
}
