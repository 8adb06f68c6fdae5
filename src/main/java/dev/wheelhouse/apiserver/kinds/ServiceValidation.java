package dev.wheelhouse.apiserver.kinds;

import java.util.List;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Subject;

/** The rules of Services (upstream: {@code pkg/apis/core/validation/validation.go}). */
final class ServiceValidation {
    private ServiceValidation() {}

    static void externalName(Subject name) {
        name.problems().formed(name.path(), name.text().replaceFirst("\\.$", ""), Formats::dnsSubdomain);
    }

    static void uniquePort(Subject subject) {
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

    static void primaryAddress(Subject subject) {
        JsonNode spec = subject.value();
        String primary = Json.text(spec, "clusterIP");
        JsonNode all = spec.path("clusterIPs");
        if (!primary.isEmpty() && !all.isEmpty() && !all.get(0).asString("").equals(primary)) {
            subject.problems().invalid("spec.clusterIPs", all, "first value must match `clusterIP`");
        } else if (primary.isEmpty() && !all.isEmpty()) {
            subject.problems().invalid("spec.clusterIPs", all, "must be empty when `clusterIP` is not specified");
        }
    }

    /** The addresses and, if they and the families are valid, whether this cluster has these families. */
    static void addresses(Subject subject) {
        JsonNode spec = subject.value();
        JsonNode all = spec.path("clusterIPs");
        Problems problems = subject.problems();
        List<String> ips = Json.texts(all);
        boolean valid = true;
        for (int i = 0; i < ips.size(); i++) {
            boolean isNone = i == 0 && ips.get(i).equals("None");
            List<String> wrong = isNone ? List.of() : Formats.ip(ips.get(i));
            problems.invalid(Problems.at("spec.clusterIPs", i), ips.get(i), wrong);
            if (isNone && ips.size() > 1) {
                problems.invalid("spec.clusterIPs", all, "'None' must be the first and only value");
            }
            valid &= wrong.isEmpty() && !(isNone && ips.size() > 1);
        }
        if (ips.size() > 2) {
            problems.invalid("spec.clusterIPs", all, "may only hold up to 2 values");
        }
        if (!valid) {
            return;
        }
        if (ips.size() > 1 && ips.stream().map(ip -> ip.contains(":")).distinct().count() < 2) {
            problems.invalid("spec.clusterIPs", all, "may specify no more than one IP for each IP family");
        }
        List<String> families = Json.texts(spec.path("ipFamilies"));
        for (int i = 0; i < Math.min(ips.size(), families.size()) && !isHeadless(spec); i++) {
            String family = families.get(i);
            boolean is6 = ips.get(i).contains(":");
            if (family.equals(is6 ? "IPv4" : "IPv6")) {
                problems.invalid(Problems.at("spec.clusterIPs", i), ips.get(i),
                        "expected an " + family + " value as indicated by `ipFamilies[" + i + "]`");
            }
        }
    }

    /**
     * Whether the cluster has the families that a valid Service asks for (upstream: {@code initIPFamilyFields}). This
     * one has addresses of IPv4 alone.
     */
    static void families(ObjectNode spec, Problems problems) {
        String policy = Json.text(spec, "ipFamilyPolicy");
        JsonNode all = spec.path("clusterIPs");
        JsonNode families = spec.path("ipFamilies");
        if (policy.isEmpty() || policy.equals("SingleStack")) {
            boolean isDual = policy.isEmpty() && isHeadless(spec) && spec.path("selector").isEmpty();
            for (String wrong : new String[]{all.size() == 2 && !isDual ? "cluster IPs" : "",
                    families.size() == 2 && !isDual ? "IP families" : ""}) {
                if (!wrong.isEmpty()) {
                    problems.invalid("spec.ipFamilyPolicy", "SingleStack",
                            "must be 'RequireDualStack' or 'PreferDualStack' when multiple " + wrong
                                    + " are specified");
                }
            }
        }
        for (int i = families.size(); i < all.size(); i++) {
            if (all.get(i).asString("").contains(":")) {
                problems.invalid(Problems.at("spec.clusterIPs", i), all, "IPv6 is not configured on this cluster");
            }
        }
        if (!problems.isEmpty() || isHeadless(spec) && spec.path("selector").isEmpty()) {
            return;
        }
        if (policy.equals("RequireDualStack")) {
            problems.invalid("spec.ipFamilyPolicy", policy, "this cluster is not configured for dual-stack services");
        }
        Problems.each(families, "spec.ipFamilies", (family, at) -> {
            if (family.asString("").equals("IPv6")) {
                problems.invalid(at, "IPv6", "not configured on this cluster");
            }
        });
    }

    static void familiesStay(Subject spec) {
        JsonNode now = spec.value().path("ipFamilies");
        JsonNode before = spec.old().path("ipFamilies");
        boolean isExternal = Json.text(spec.value(), "type").equals("ExternalName")
                || Json.text(spec.old(), "type").equals("ExternalName");
        if (isExternal || isHeadless(spec.value()) || isHeadless(spec.old())) {
            return;
        }
        for (int i = 0; i < Math.min(now.size(), before.size()); i++) {
            if (!now.get(i).equals(before.get(i)) && (i == 0 || now.size() == before.size())) {
                spec.problems().invalid("spec.ipFamilies[0]", now, "may not change once set");
            }
        }
    }

    static void sourceRange(Subject range) {
        String text = range.text().strip();
        range.problems().invalid(range.path(), text, Formats.cidr(text));
    }

    static void sourceRanges(Subject annotation) {
        String ranges = annotation.text().strip();
        for (String range : ranges.isEmpty() ? new String[0] : ranges.split(",", -1)) {
            annotation.problems().invalid(annotation.path(), range.strip(), Formats.cidr(range.strip()));
        }
    }

    static void addressesStay(Subject subject) {
        JsonNode spec = subject.value();
        JsonNode old = subject.old();
        Problems problems = subject.problems();
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

    static void headless(Subject subject) {
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
