package dev.wheelhouse.apiserver.kinds;

import java.util.Map;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Rules.Check;
import dev.wheelhouse.apiserver.validation.Subject;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.isEmpty;
import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;

/** Network policies (upstream: {@code pkg/registry/networking/networkpolicy}). */
final class NetworkPolicyStrategy extends Strategy {
    NetworkPolicyStrategy() {
        super("networking.k8s.io", "NetworkPolicy");
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
    protected void addChecks(Map<String, Check> checks) {
        checks.put("policyPort", NetworkPolicyStrategy::port);
    }

    private static void port(Subject subject) {
        JsonNode port = subject.value();
        JsonNode end = subject.object().path("endPort");
        String endPath = subject.path().replaceFirst("port$", "endPort");
        Problems problems = subject.problems();
        if (!port.isIntegralNumber()) {
            if (!end.isMissingNode()) {
                problems.invalid(endPath, end, "may not be specified when `port` is non-numeric");
            }
            problems.invalid(subject.path(), port.asString(""), Formats.portName(port.asString("")));
            return;
        }
        Formats.portNumber(port.longValue()).forEach(message -> problems.invalid(subject.path(), port, message));
        if (end.isMissingNode()) {
            return;
        }
        if (end.asLong(0) < port.longValue()) {
            problems.invalid(endPath, port, "must be greater than or equal to `port`");
        }
        Formats.portNumber(end.asLong(0)).forEach(message -> problems.invalid(endPath, end, message));
    }
}
