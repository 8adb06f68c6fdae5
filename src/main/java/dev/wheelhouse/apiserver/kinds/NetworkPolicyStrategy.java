package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Selectors;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.isEmpty;
import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;

/** Network policies (upstream: {@code pkg/registry/networking/networkpolicy}). */
final class NetworkPolicyStrategy extends Strategy {
    NetworkPolicyStrategy() {
        super("networking.k8s.io", "NetworkPolicy", TableColumn.objectName(),
                TableColumn.of("Pod-Selector", "Which pods the policy is for.",
                        o -> o.selector("spec", "podSelector")),
                TableColumn.age());
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put("io.k8s.api.networking.v1.NetworkPolicyPort", port -> set(port, "protocol", "TCP"));
        rules.put("io.k8s.api.networking.v1.NetworkPolicySpec", spec -> {
            if (isEmpty(spec, "policyTypes")) {
                ArrayNode types = spec.putArray("policyTypes").add("Ingress");
                if (!isEmpty(spec, "egress")) {
                    types.add("Egress");
                }
            }
        });
    }

    @Override
    protected void validate(ObjectNode policy, Problems problems) {
        JsonNode spec = policy.path("spec");
        Selectors.validate(spec.get("podSelector"), "spec.podSelector", problems);
        rules(spec.path("ingress"), "spec.ingress", "from", problems);
        rules(spec.path("egress"), "spec.egress", "to", problems);
        Problems.each(spec.path("policyTypes"), "spec.policyTypes",
                (type, at) -> problems.oneOf(at, type.asString(""), "Egress", "Ingress"));
    }

    private static void rules(JsonNode rules, String path, String peers, Problems problems) {
        Problems.each(rules, path, (rule, at) -> {
            Problems.each(rule.path("ports"), at + ".ports", (port, field) -> port(port, field, problems));
            Problems.each(rule.path(peers), at + "." + peers, (peer, field) -> peer(peer, field, problems));
        });
    }

    private static void port(JsonNode entry, String at, Problems problems) {
        problems.oneOfIfSet(at + ".protocol", Json.text(entry, "protocol"), "SCTP", "TCP", "UDP");
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
            problems.formed(at + ".ipBlock.cidr", Json.text(peer, "ipBlock", "cidr"), Formats::cidr);
            Problems.each(peer.path("ipBlock").path("except"), at + ".ipBlock.except", (except, field) -> {
                String text = except.asString("");
                problems.invalid(field, text, Formats.cidr(text));
            });
        }
        for (String selector : List.of("podSelector", "namespaceSelector")) {
            Selectors.validate(peer.get(selector), at + "." + selector, problems);
        }
    }
}
