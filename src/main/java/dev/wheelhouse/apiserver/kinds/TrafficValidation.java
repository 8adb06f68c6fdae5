package dev.wheelhouse.apiserver.kinds;

import java.util.List;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;

/** The rules of endpoints (upstream: {@code pkg/apis/core/validation}). */
final class TrafficValidation {
    private TrafficValidation() {}

    static void endpoints(ObjectNode endpoints, Problems problems) {
        int i = 0;
        for (JsonNode subset : endpoints.path("subsets")) {
            String at = Problems.at("subsets", i++);
            if (subset.path("addresses").isEmpty() && subset.path("notReadyAddresses").isEmpty()) {
                problems.required(at, "must specify `addresses` or `notReadyAddresses`");
            }
            for (String list : List.of("addresses", "notReadyAddresses")) {
                int j = 0;
                for (JsonNode address : subset.path(list)) {
                    address(address, Problems.at(at + "." + list, j++), problems);
                }
            }
            int j = 0;
            for (JsonNode port : subset.path("ports")) {
                port(port, Problems.at(at + ".ports", j++), subset.path("ports").size() > 1, problems);
            }
        }
    }

    private static void address(JsonNode address, String at, Problems problems) {
        String ip = Json.text(address, "ip");
        problems.invalid(at + ".ip", ip, Formats.ip(ip));
        String host = Json.text(address, "hostname");
        if (!host.isEmpty()) {
            problems.invalid(at + ".hostname", host, Formats.dnsLabel(host));
        }
        String node = Json.text(address, "nodeName");
        if (address.has("nodeName")) {
            problems.invalid(at + ".nodeName", node, Formats.dnsSubdomain(node));
        }
        if (ip.startsWith("127.") || ip.equals("::1")) {
            problems.invalid(at + ".ip", ip, "may not be in the loopback range (127.0.0.0/8, ::1/128)");
        } else if (ip.startsWith("169.254.")) {
            problems.invalid(at + ".ip", ip, "may not be in the link-local range (169.254.0.0/16, fe80::/10)");
        } else if (ip.equals("0.0.0.0") || ip.equals("::")) {
            problems.invalid(at + ".ip", ip, "may not be unspecified (" + ip + ")");
        }
    }

    private static void port(JsonNode port, String at, boolean named, Problems problems) {
        String name = Json.text(port, "name");
        if (named && name.isEmpty()) {
            problems.required(at + ".name");
        } else if (!name.isEmpty()) {
            problems.invalid(at + ".name", name, Formats.dnsLabel(name));
        }
        long number = Json.number(port, 0, "port");
        Formats.portNumber(number).forEach(problem -> problems.invalid(at + ".port", number, problem));
        problems.oneOf(at + ".protocol", Json.text(port, "protocol"), "SCTP", "TCP", "UDP");
        String protocol = Json.text(port, "appProtocol");
        if (port.has("appProtocol")) {
            problems.invalid(at + ".appProtocol", protocol, Formats.qualifiedName(protocol));
        }
    }
}
