package dev.wheelhouse.apiserver.kinds;

import java.util.List;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;

/** The rules of ingresses, endpoints and address ranges (upstream: {@code pkg/apis/networking/validation}, {@code pkg/apis/discovery/validation}). */
final class TrafficValidation {
    private static final int LONGEST_CONTROLLER = 250;

    private TrafficValidation() {}

    static void ingressClass(ObjectNode ingressClass, Problems problems) {
        JsonNode spec = ingressClass.path("spec");
        String controller = Json.text(spec, "controller");
        if (controller.length() > LONGEST_CONTROLLER) {
            problems.tooLong("spec.controller", LONGEST_CONTROLLER);
        }
        domainPrefixed(controller, "spec.controller", problems);
        JsonNode parameters = spec.get("parameters");
        if (parameters == null) {
            return;
        }
        String at = "spec.parameters";
        reference(parameters, at, problems);
        String scope = Json.text(parameters, "scope");
        switch (scope) {
            case "Namespace" -> {
                String namespace = Json.text(parameters, "namespace");
                if (!parameters.has("namespace")) {
                    problems.required(at + ".namespace", "`parameters.scope` is set to 'Namespace'");
                } else {
                    problems.invalid(at + ".namespace", namespace, Formats.dnsLabel(namespace));
                }
            }
            case "Cluster" -> {
                if (parameters.has("namespace")) {
                    problems.forbidden(at + ".namespace", "`parameters.scope` is set to 'Cluster'");
                }
            }
            default -> {
                if (parameters.has("scope")) {
                    problems.notSupported(at + ".scope", scope, "Cluster", "Namespace");
                } else {
                    problems.required(at + ".scope");
                }
            }
        }
    }

    static void ingressClassUpdate(ObjectNode ingressClass, ObjectNode old, Problems problems) {
        problems.immutable("spec.controller", ingressClass.path("spec").get("controller"),
                old.path("spec").get("controller"));
        ingressClass(ingressClass, problems);
    }

    private static void reference(JsonNode reference, String at, Problems problems) {
        String group = Json.text(reference, "apiGroup");
        if (reference.has("apiGroup")) {
            problems.invalid(at + ".apiGroup", group, Formats.dnsSubdomain(group));
        }
        for (String field : List.of("kind", "name")) {
            String value = Json.text(reference, field);
            if (value.isEmpty()) {
                problems.required(at + "." + field);
            } else {
                problems.invalid(at + "." + field, value, Formats.pathSegment(value));
            }
        }
    }

    private static void domainPrefixed(String value, String at, Problems problems) {
        if (value.isEmpty()) {
            problems.required(at);
            return;
        }
        int slash = value.indexOf('/');
        if (slash <= 0 || slash == value.length() - 1) {
            problems.invalid(at, value, "must be a domain-prefixed path (such as \"acme.io/foo\")");
            return;
        }
        String host = value.substring(0, slash);
        problems.invalid(at, host, Formats.dnsSubdomain(host));
        String path = value.substring(slash + 1);
        if (!path.matches("[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+")) {
            problems.invalid(at, path,
                    "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')");
        }
    }

    static void ingress(ObjectNode ingress, Problems problems) {
        JsonNode spec = ingress.path("spec");
        JsonNode rules = spec.path("rules");
        JsonNode fallback = spec.get("defaultBackend");
        if (rules.isEmpty() && fallback == null) {
            problems.invalid("spec", rules, "either `defaultBackend` or `rules` must be specified");
        }
        if (fallback != null) {
            backend(fallback, "spec.defaultBackend", problems);
        }
        int i = 0;
        for (JsonNode rule : rules) {
            rule(rule, Problems.at("spec.rules", i++), problems);
        }
        i = 0;
        for (JsonNode tls : spec.path("tls")) {
            String at = Problems.at("spec.tls", i++);
            int j = 0;
            for (JsonNode host : tls.path("hosts")) {
                host(host.asString(""), Problems.at(at + ".hosts", j++), problems);
            }
            String secret = Json.text(tls, "secretName");
            if (!secret.isEmpty()) {
                problems.invalid(at + ".secretName", secret, Formats.dnsSubdomain(secret));
            }
        }
        String ingressClass = Json.text(spec, "ingressClassName");
        if (spec.has("ingressClassName")) {
            problems.invalid("spec.ingressClassName", ingressClass, Formats.dnsSubdomain(ingressClass));
        }
    }

    private static void rule(JsonNode rule, String at, Problems problems) {
        String host = Json.text(rule, "host");
        if (!host.isEmpty()) {
            if (!Formats.ip(host).isEmpty()) {
                host(host, at + ".host", problems);
            } else {
                problems.invalid(at + ".host", host, "must be a DNS name, not an IP address");
            }
        }
        JsonNode http = rule.get("http");
        if (http == null) {
            return;
        }
        if (http.path("paths").isEmpty()) {
            problems.required(at + ".http.paths");
        }
        int i = 0;
        for (JsonNode path : http.path("paths")) {
            String field = Problems.at(at + ".http.paths", i++);
            String type = Json.text(path, "pathType");
            String text = Json.text(path, "path");
            if (!path.has("pathType")) {
                problems.required(field + ".pathType", "pathType must be specified");
            } else if (type.equals("Exact") || type.equals("Prefix")) {
                if (!text.startsWith("/")) {
                    problems.invalid(field + ".path", text, "must be an absolute path");
                }
                for (String part : List.of("//", "/./", "/../", "%2f", "%2F")) {
                    if (text.contains(part)) {
                        problems.invalid(field + ".path", text, "must not contain '" + part + "'");
                    }
                }
                for (String part : List.of("/..", "/.")) {
                    if (text.endsWith(part)) {
                        problems.invalid(field + ".path", text, "cannot end with '" + part + "'");
                    }
                }
            } else if (!type.equals("ImplementationSpecific")) {
                problems.notSupported(field + ".pathType", type, "Exact", "ImplementationSpecific", "Prefix");
            } else if (!text.isEmpty() && !text.startsWith("/")) {
                problems.invalid(field + ".path", text, "must be an absolute path");
            }
            backend(path.path("backend"), field + ".backend", problems);
        }
    }

    private static void host(String host, String at, Problems problems) {
        problems.invalid(at, host, Formats.dnsSubdomain(host.startsWith("*.") ? host.substring(2) : host));
    }

    private static void backend(JsonNode backend, String at, Problems problems) {
        JsonNode resource = backend.get("resource");
        JsonNode service = backend.get("service");
        if (resource != null && service != null) {
            problems.invalid(at, "", "cannot set both resource and service backends");
        } else if (resource != null) {
            reference(resource, at + ".resource", problems);
        } else if (service == null) {
            problems.required(at, "resource or service backend is required");
        } else {
            String name = Json.text(service, "name");
            if (name.isEmpty()) {
                problems.required(at + ".service.name");
            } else {
                problems.invalid(at + ".service.name", name, Formats.dns1035Label(name));
            }
            String port = Json.text(service, "port", "name");
            long number = Json.number(service, 0, "port", "number");
            if (!port.isEmpty() && number != 0) {
                problems.invalid(at, "", "cannot set both port name & port number");
            } else if (!port.isEmpty()) {
                problems.invalid(at + ".service.port.name", port, Formats.portName(port));
            } else if (number == 0) {
                problems.required(at, "port name or number is required");
            } else {
                Formats.portNumber(number).forEach(
                        problem -> problems.invalid(at + ".service.port.number", number, problem));
            }
        }
    }

    static void serviceRange(ObjectNode range, Problems problems) {
        JsonNode ranges = range.path("spec").path("cidrs");
        if (ranges.isEmpty()) {
            problems.required("spec.cidrs", "at least one CIDR required");
        } else if (ranges.size() > 2) {
            problems.invalid("spec.cidrs", range.get("spec"), "may only hold up to 2 values");
        } else {
            boolean valid = true;
            int i = 0;
            for (JsonNode node : ranges) {
                List<String> wrong = Formats.cidr(node.asString(""));
                valid &= wrong.isEmpty();
                problems.invalid(Problems.at("spec.cidrs", i++), node.asString(""), wrong);
            }
            if (valid && ranges.size() == 2
                    && ranges.get(0).asString().contains(":") == ranges.get(1).asString().contains(":")) {
                problems.invalid("spec.cidrs", ranges, "may specify no more than one IP for each IP family, i.e "
                        + "192.168.0.0/24 and 2001:db8::/64");
            }
        }
    }

    static void serviceRangeUpdate(ObjectNode range, ObjectNode old, Problems problems) {
        JsonNode now = range.path("spec").path("cidrs");
        JsonNode before = old.path("spec").path("cidrs");
        if (now.size() < before.size()) {
            problems.invalid("spec.cidrs", now, "field is immutable");
        }
        for (int i = 0; i < Math.min(now.size(), before.size()); i++) {
            if (!now.get(i).equals(before.get(i))) {
                problems.invalid(Problems.at("spec.cidrs", i), now.get(i), "field is immutable");
            }
        }
        if (now.size() > before.size()) {
            serviceRange(range, problems);
        }
    }

    static void slice(ObjectNode slice, Problems problems) {
        String type = Json.text(slice, "addressType");
        problems.oneOf("addressType", type, "FQDN", "IPv4", "IPv6");
        int i = 0;
        for (JsonNode endpoint : slice.path("endpoints")) {
            String at = Problems.at("endpoints", i++);
            if (endpoint.path("addresses").isEmpty()) {
                problems.required(at + ".addresses", "must contain at least 1 addresses");
            }
            int j = 0;
            for (JsonNode node : endpoint.path("addresses")) {
                String address = node.asString("");
                String field = Problems.at(at + ".addresses", j++);
                if (type.equals("FQDN")) {
                    problems.invalid(field, address, Formats.dnsSubdomain(address));
                } else if (!Formats.ip(address).isEmpty() || address.contains(":") != type.equals("IPv6")) {
                    problems.invalid(field, address, "must be a valid " + type + " address");
                }
            }
            String host = Json.text(endpoint, "hostname");
            if (endpoint.has("hostname")) {
                problems.invalid(at + ".hostname", host, Formats.dnsLabel(host));
            }
            String node = Json.text(endpoint, "nodeName");
            if (endpoint.has("nodeName")) {
                problems.invalid(at + ".nodeName", node, Formats.dnsSubdomain(node));
            }
            for (String hints : List.of("forZones", "forNodes")) {
                int k = 0;
                for (JsonNode hint : endpoint.path("hints").path(hints)) {
                    String name = Json.text(hint, "name");
                    problems.invalid(Problems.at(at + ".hints." + hints, k++) + ".name", name,
                            hints.equals("forZones") ? Formats.labelValue(name) : Formats.dnsSubdomain(name));
                }
            }
        }
        i = 0;
        for (JsonNode port : slice.path("ports")) {
            String at = Problems.at("ports", i++);
            String name = Json.text(port, "name");
            if (!name.isEmpty()) {
                problems.invalid(at + ".name", name, Formats.dnsLabel(name));
            }
            problems.oneOf(at + ".protocol", Json.text(port, "protocol"), "SCTP", "TCP", "UDP");
            String protocol = Json.text(port, "appProtocol");
            if (port.has("appProtocol")) {
                problems.invalid(at + ".appProtocol", protocol, Formats.qualifiedName(protocol));
            }
        }
    }

    static void sliceUpdate(ObjectNode slice, ObjectNode old, Problems problems) {
        slice(slice, problems);
        problems.immutable("addressType", slice.get("addressType"), old.get("addressType"));
    }
}
