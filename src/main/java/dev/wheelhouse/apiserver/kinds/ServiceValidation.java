package dev.wheelhouse.apiserver.kinds;

import java.util.Map;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Rules.Check;
import dev.wheelhouse.apiserver.validation.Subject;

/** The rules of Services (upstream: {@code pkg/apis/core/validation/validation.go}). */
final class ServiceValidation {
    private ServiceValidation() {}

    private static void externalName(Subject name) {
        name.problems().formed(name.path(), name.text().replaceFirst("\\.$", ""), Formats::dnsSubdomain);
    }

    private static void port(Subject subject) {
        JsonNode port = subject.value();
        String protocol = Json.text(port, "protocol");
        long nodePort = Json.number(port, 0, "nodePort");
        if (nodePort != 0 && !subject.isNew("nodePort", StringNode.valueOf(protocol + nodePort))) {
            subject.problems().duplicate(subject.path() + ".nodePort", Long.toString(nodePort));
        }
        ObjectNode key = Json.object().put("Protocol", protocol).put("Port", Json.number(port, 0, "port"));
        if (!subject.isNew("port", key)) {
            subject.problems().duplicate(subject.path(), key.toString());
        }
    }

    private static void primary(Subject subject) {
        JsonNode spec = subject.value();
        String primary = Json.text(spec, "clusterIP");
        JsonNode all = spec.path("clusterIPs");
        if (!primary.isEmpty() && !all.isEmpty() && !all.get(0).asString("").equals(primary)) {
            subject.problems().invalid("spec.clusterIPs", all, "first value must match `clusterIP`");
        }
    }

    private static void addresses(Subject subject) {
        JsonNode all = subject.value().path("clusterIPs");
        Problems problems = subject.problems();
        Problems.each(all, "spec.clusterIPs", (node, at) -> {
            String ip = node.asString("");
            if (!ip.equals("None")) {
                problems.invalid(at, ip, Formats.ip(ip));
            } else if (all.size() > 1) {
                problems.invalid("spec.clusterIPs", all, "'None' must be the first and only value");
            }
        });
        if (all.size() > 2) {
            problems.invalid("spec.clusterIPs", all, "may only hold up to 2 values");
        }
    }

    private static void families(Subject subject) {
        JsonNode spec = subject.value();
        String policy = Json.text(spec, "ipFamilyPolicy");
        if (!policy.equals("RequireDualStack") || isHeadless(spec) && spec.path("selector").isEmpty()) {
            return;
        }
        subject.problems().invalid("spec.ipFamilyPolicy", policy,
                "this cluster is not configured for dual-stack services");
        Problems.each(spec.path("ipFamilies"), "spec.ipFamilies", (family, at) -> {
            if (family.asString("").equals("IPv6")) {
                subject.problems().invalid(at, "IPv6", "not configured on this cluster");
            }
        });
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

    static void addChecks(Map<String, Check> checks) {
        checks.put("headless", ServiceValidation::headless);
        checks.put("externalName", ServiceValidation::externalName);
        checks.put("uniquePort", ServiceValidation::port);
        checks.put("primaryAddress", ServiceValidation::primary);
        checks.put("addresses", ServiceValidation::addresses);
        checks.put("families", ServiceValidation::families);
        checks.put("addressesStay", s -> addressesStay(s.value(), s.old(), s.problems()));
    }

    private static void headless(Subject subject) {
        String type = Json.text(subject.value(), "type");
        boolean headless = isHeadless(subject.value());
        if (subject.value().path("ports").isEmpty() && !headless && !type.equals("ExternalName")) {
            subject.problems().required("spec.ports");
        }
        if (headless && (type.equals("LoadBalancer") || type.equals("NodePort"))) {
            subject.problems().invalid("spec.clusterIPs[0]", "None", "may not be set to 'None' for " + type
                    + " services");
        }
    }
}
