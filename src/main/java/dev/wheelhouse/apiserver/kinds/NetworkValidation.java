package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Selectors;

/** The rules of network policies and IP addresses (upstream: {@code pkg/apis/networking/validation}); those of address ranges are not checked. */
final class NetworkValidation {
    private NetworkValidation() {}

    static void policy(ObjectNode policy, Problems problems) {
        JsonNode spec = policy.path("spec");
        Selectors.validate(spec.get("podSelector"), "spec.podSelector", problems);
        rules(spec.path("ingress"), "spec.ingress", "from", problems);
        rules(spec.path("egress"), "spec.egress", "to", problems);
        int i = 0;
        for (JsonNode type : spec.path("policyTypes")) {
            problems.oneOf(Problems.at("spec.policyTypes", i++), type.asString(""), "Egress", "Ingress");
        }
    }

    private static void rules(JsonNode rules, String path, String peers, Problems problems) {
        int i = 0;
        for (JsonNode rule : rules) {
            String at = Problems.at(path, i++);
            int j = 0;
            for (JsonNode port : rule.path("ports")) {
                port(port, Problems.at(at + ".ports", j++), problems);
            }
            j = 0;
            for (JsonNode peer : rule.path(peers)) {
                peer(peer, Problems.at(at + "." + peers, j++), problems);
            }
        }
    }

    private static void port(JsonNode entry, String at, Problems problems) {
        String protocol = Json.text(entry, "protocol");
        if (!protocol.isEmpty()) {
            problems.oneOf(at + ".protocol", protocol, "SCTP", "TCP", "UDP");
        }
        JsonNode port = entry.get("port");
        long end = Json.number(entry, 0, "endPort");
        boolean ranged = entry.has("endPort");
        if (port == null) {
            if (ranged) {
                problems.invalid(at + ".endPort", end, "may not be specified when `port` is not specified");
            }
        } else if (port.isIntegralNumber()) {
            numbers(port.longValue(), end, ranged, at, problems);
        } else {
            if (ranged) {
                problems.invalid(at + ".endPort", end, "may not be specified when `port` is non-numeric");
            }
            problems.invalid(at + ".port", port.asString(""), Formats.portName(port.asString("")));
        }
    }

    private static void numbers(long port, long end, boolean ranged, String at, Problems problems) {
        Formats.portNumber(port).forEach(message -> problems.invalid(at + ".port", port, message));
        if (!ranged) {
            return;
        }
        if (end < port) {
            problems.invalid(at + ".endPort", port, "must be greater than or equal to `port`");
        }
        Formats.portNumber(end).forEach(message -> problems.invalid(at + ".endPort", end, message));
    }

    private static void peer(JsonNode peer, String at, Problems problems) {
        if (!peer.has("podSelector") && !peer.has("namespaceSelector") && !peer.has("ipBlock")) {
            problems.required(at, "must specify a peer");
        } else if (peer.has("ipBlock")) {
            if (peer.size() > 1) {
                problems.forbidden(at, "may not specify both ipBlock and another peer");
            }
            String range = Json.text(peer, "ipBlock", "cidr");
            if (range.isEmpty()) {
                problems.required(at + ".ipBlock.cidr");
            } else {
                problems.invalid(at + ".ipBlock.cidr", range, Formats.cidr(range));
            }
            int i = 0;
            for (JsonNode except : peer.path("ipBlock").path("except")) {
                String text = except.asString("");
                problems.invalid(Problems.at(at + ".ipBlock.except", i++), text, Formats.cidr(text));
            }
        }
        for (String selector : new String[]{"podSelector", "namespaceSelector"}) {
            Selectors.validate(peer.get(selector), at + "." + selector, problems);
        }
    }

    static void address(ObjectNode address, Problems problems) {
        JsonNode parent = address.path("spec").path("parentRef");
        if (parent.isMissingNode()) {
            problems.required("spec.parentRef");
            return;
        }
        for (String field : new String[]{"resource", "name"}) {
            if (Json.text(parent, field).isEmpty()) {
                problems.required("spec.parentRef." + field);
            }
        }
        String group = Json.text(parent, "group");
        if (!group.isEmpty()) {
            problems.invalid("spec.parentRef.group", group, Formats.dnsSubdomain(group));
        }
        for (String field : new String[]{"resource", "name", "namespace"}) {
            String value = Json.text(parent, field);
            problems.invalid("spec.parentRef." + field, value, Formats.pathSegment(value));
        }
    }

    static void addressUpdate(ObjectNode address, ObjectNode old, Problems problems) {
        problems.immutable("spec.parentRef", Json.at(address, "spec", "parentRef"), Json.at(old, "spec", "parentRef"));
    }
}
