package dev.wheelhouse.apiserver.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.MetadataValidation;
import dev.wheelhouse.apiserver.validation.ProbeValidation;
import dev.wheelhouse.apiserver.validation.Problems;

/** The rules of Services (upstream: {@code pkg/apis/core/validation/validation.go}). */
final class ServiceValidation {
    private static final int MAX_AFFINITY_SECONDS = 86_400;

    private ServiceValidation() {}

    static void create(ObjectNode service, Problems problems) {
        service(service.path("spec"), problems);
    }

    static void update(ObjectNode service, ObjectNode old, Problems problems) {
        addressesStay(service.path("spec"), old.path("spec"), problems);
        service(service.path("spec"), problems);
    }

    private static void service(JsonNode spec, Problems problems) {
        String type = Json.text(spec, "type");
        boolean headless = isHeadless(spec);
        if (spec.path("ports").isEmpty() && !headless && !type.equals("ExternalName")) {
            problems.required("spec.ports");
        }
        if (headless && (type.equals("LoadBalancer") || type.equals("NodePort"))) {
            problems.invalid("spec.clusterIPs[0]", "None", "may not be set to 'None' for " + type + " services");
        }
        if (type.equals("ExternalName")) {
            externalName(spec, problems);
        }
        ports(spec, type, problems);
        MetadataValidation.labels(spec.get("selector"), "spec.selector", problems);
        affinity(spec, problems);
        if (!type.equals("ExternalName")) {
            addresses(spec, problems);
            families(spec, headless, problems);
        }
        Problems.each(spec.path("externalIPs"), "spec.externalIPs",
                (ip, at) -> problems.invalid(at, ip.asString(""), Formats.endpointIp(ip.asString(""))));
        problems.oneOf("spec.type", type, "ClusterIP", "ExternalName", "LoadBalancer", "NodePort");
        traffic(spec, type, problems);
    }

    private static void externalName(JsonNode spec, Problems problems) {
        for (String field : List.of("clusterIPs", "ipFamilies", "ipFamilyPolicy")) {
            JsonNode value = Json.at(spec, field);
            if (value != null && (value.isString() || !value.isEmpty())) {
                problems.forbidden("spec." + field, "may not be set for ExternalName services");
            }
        }
        problems.formed("spec.externalName", Json.text(spec, "externalName").replaceFirst("\\.$", ""),
                Formats::dnsSubdomain);
    }

    private static void ports(JsonNode spec, String type, Problems problems) {
        boolean named = spec.path("ports").size() > 1;
        Set<String> names = new HashSet<>();
        Problems.each(spec.path("ports"), "spec.ports", (port, at) -> {
            String name = Json.text(port, "name");
            if (named && name.isEmpty()) {
                problems.required(at + ".name");
            } else if (!name.isEmpty()) {
                problems.invalid(at + ".name", name, Formats.dnsLabel(name));
                problems.unique(names, name, at + ".name", "\"" + name + "\"");
            }
            long number = Json.number(port, 0, "port");
            Formats.portNumber(number).forEach(message -> problems.invalid(at + ".port", number, message));
            problems.oneOf(at + ".protocol", Json.text(port, "protocol"), "SCTP", "TCP", "UDP");
            ProbeValidation.portNumberOrName(port.get("targetPort"), at + ".targetPort", problems);
            problems.formedIfSet(at + ".appProtocol", Json.text(port, "appProtocol"), Formats::qualifiedName);
        });
        duplicates(spec, type, problems);
    }

    private static void duplicates(JsonNode spec, String type, Problems problems) {
        Set<String> nodePorts = new HashSet<>();
        Set<String> ports = new HashSet<>();
        Problems.each(spec.path("ports"), "spec.ports", (port, at) -> {
            String protocol = Json.text(port, "protocol");
            long nodePort = Json.number(port, 0, "nodePort");
            if (nodePort != 0 && type.equals("ClusterIP")) {
                problems.forbidden(at + ".nodePort", "may not be used when `type` is 'ClusterIP'");
            }
            if (nodePort != 0 && !nodePorts.add(protocol + nodePort)) {
                problems.duplicate(at + ".nodePort", Long.toString(nodePort));
            }
            long number = Json.number(port, 0, "port");
            if (!ports.add(protocol + number)) {
                ObjectNode key = Json.object().put("Protocol", protocol).put("Port", number);
                problems.duplicate(at, key.toString());
            }
        });
    }

    private static void affinity(JsonNode spec, Problems problems) {
        String affinity = Json.text(spec, "sessionAffinity");
        problems.oneOf("spec.sessionAffinity", affinity, "ClientIP", "None");
        if (affinity.equals("ClientIP")) {
            long seconds = Json.number(spec, 0, "sessionAffinityConfig", "clientIP", "timeoutSeconds");
            if (seconds <= 0 || seconds > MAX_AFFINITY_SECONDS) {
                problems.invalid("spec.sessionAffinityConfig.clientIP.timeoutSeconds", seconds,
                        "must be greater than 0 and less than " + MAX_AFFINITY_SECONDS);
            }
        } else if (affinity.equals("None") && Json.at(spec, "sessionAffinityConfig") != null) {
            problems.forbidden("spec.sessionAffinityConfig", "must not be set when session affinity is None");
        }
    }

    private static void addresses(JsonNode spec, Problems problems) {
        String primary = Json.text(spec, "clusterIP");
        JsonNode all = spec.path("clusterIPs");
        if (!primary.isEmpty() && !all.isEmpty() && !all.get(0).asString("").equals(primary)) {
            problems.invalid("spec.clusterIPs", spec.get("clusterIPs"), "first value must match `clusterIP`");
        }
        Problems.each(spec.path("ipFamilies"), "spec.ipFamilies",
                (family, at) -> problems.oneOf(at, family.asString(""), "IPv4", "IPv6"));
        problems.oneOfIfSet("spec.ipFamilyPolicy", Json.text(spec, "ipFamilyPolicy"), "PreferDualStack",
                "RequireDualStack", "SingleStack");
        Problems.each(all, "spec.clusterIPs", (node, field) -> {
            String ip = node.asString("");
            String at = field;
            if (ip.equals("None")) {
                if (all.size() > 1) {
                    problems.invalid("spec.clusterIPs", spec.get("clusterIPs"),
                            "'None' must be the first and only value");
                }
            } else {
                Formats.ip(ip).forEach(message -> problems.invalid(at, ip, message));
            }
        });
        if (all.size() > 2) {
            problems.invalid("spec.clusterIPs", spec.get("clusterIPs"), "may only hold up to 2 values");
        }
    }

    /**
     * The server has addresses of IPv4 only. A headless Service without a selector needs none of the server's. A
     * Service that only prefers two families is accepted, so that controllers can be tried with such Services.
     */
    private static void families(JsonNode spec, boolean headless, Problems problems) {
        String policy = Json.text(spec, "ipFamilyPolicy");
        if (!policy.equals("RequireDualStack") || headless && spec.path("selector").isEmpty()) {
            return;
        }
        problems.invalid("spec.ipFamilyPolicy", policy, "this cluster is not configured for dual-stack services");
        Problems.each(spec.path("ipFamilies"), "spec.ipFamilies", (family, at) -> {
            if (family.asString("").equals("IPv6")) {
                problems.invalid(at, "IPv6", "not configured on this cluster");
            }
        });
    }

    private static void traffic(JsonNode spec, String type, Problems problems) {
        boolean balanced = type.equals("LoadBalancer");
        if (Json.at(spec, "allocateLoadBalancerNodePorts") != null && !balanced) {
            problems.forbidden("spec.allocateLoadBalancerNodePorts", "may only be used when `type` is 'LoadBalancer'");
        }
        if (!spec.path("loadBalancerSourceRanges").isEmpty() && !balanced) {
            problems.forbidden("spec.LoadBalancerSourceRanges", "may only be used when `type` is 'LoadBalancer'");
        }
        if (Json.at(spec, "loadBalancerClass") != null && !balanced) {
            problems.forbidden("spec.loadBalancerClass", "may only be used when `type` is 'LoadBalancer'");
        }
        boolean external = balanced || type.equals("NodePort")
                || type.equals("ClusterIP") && !spec.path("externalIPs").isEmpty();
        String policy = Json.text(spec, "externalTrafficPolicy");
        if (!external && !policy.isEmpty()) {
            problems.invalid("spec.externalTrafficPolicy", policy,
                    "may only be set for externally-accessible services");
        } else if (external) {
            problems.oneOf("spec.externalTrafficPolicy", policy, "Cluster", "Local");
        }
        String internal = Json.text(spec, "internalTrafficPolicy");
        if (!type.equals("ExternalName") || !internal.isEmpty()) {
            problems.oneOf("spec.internalTrafficPolicy", internal, "Cluster", "Local");
        }
        problems.oneOfIfSet("spec.trafficDistribution", Json.text(spec, "trafficDistribution"), "PreferClose",
                "PreferSameZone", "PreferSameNode");
    }

    private static void addressesStay(JsonNode spec, JsonNode old, Problems problems) {
        if (Json.text(spec, "type").equals("ExternalName") || Json.text(old, "type").equals("ExternalName")
                || isHeadless(spec) && isHeadless(old)) {
            return;
        }
        JsonNode now = spec.path("clusterIPs");
        JsonNode before = old.path("clusterIPs");
        if (now.isEmpty() && !before.isEmpty()) {
            problems.invalid("spec.clusterIPs[0]", spec.get("clusterIPs"), "primary clusterIP can not be unset");
            return;
        }
        for (int i = 0; i < Math.min(now.size(), before.size()); i++) {
            if (!now.get(i).equals(before.get(i))) {
                problems.invalid(Problems.at("spec.clusterIPs", i), spec.get("clusterIPs"), "may not change once set");
            }
        }
    }

    private static boolean isHeadless(JsonNode spec) {
        JsonNode ips = spec.path("clusterIPs");
        return ips.isEmpty() ? Json.text(spec, "clusterIP").equals("None") : ips.get(0).asString("").equals("None");
    }
}
