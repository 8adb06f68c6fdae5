package dev.wheelhouse.apiserver.kinds;

import java.util.Map;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Rules.Check;
import dev.wheelhouse.apiserver.validation.Subject;

/** Network policies (upstream: {@code pkg/registry/networking/networkpolicy}). */
final class NetworkPolicyStrategy extends Strategy {
    NetworkPolicyStrategy() {
        super("networking.k8s.io", "NetworkPolicy");
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
