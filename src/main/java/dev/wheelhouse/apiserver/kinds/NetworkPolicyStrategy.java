package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.IpFormats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Subject;

/** Network policies (upstream: {@code pkg/registry/networking/networkpolicy}). */
final class NetworkPolicyStrategy extends Strategy {
    NetworkPolicyStrategy() {
        super("networking.k8s.io", "NetworkPolicy");
    }

    static void policyPort(Subject subject) {
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

    static void strictSubset(Subject except) {
        IpFormats.Range range = IpFormats.parseRange(Json.text(except.object(), "cidr"));
        IpFormats.Range part = IpFormats.parseRange(except.text());
        if (range != null && part != null && !range.isAbove(part)) {
            except.problems().invalid(except.path(), except.text(), "must be a strict subset of `cidr`");
        }
    }
}
