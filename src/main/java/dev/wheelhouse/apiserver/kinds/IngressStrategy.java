package dev.wheelhouse.apiserver.kinds;

import java.util.ArrayList;
import java.util.List;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;

/** Ingresses (upstream: {@code pkg/registry/networking/ingress}). */
final class IngressStrategy extends Strategy {
    private static final int SHOWN_HOSTS = 3;

    IngressStrategy() {
        super("networking.k8s.io", "Ingress", TableColumn.objectName(),
                TableColumn.of("Class", "Ingress class that handles it.",
                        o -> o.textOr(Item.NONE, "spec", "ingressClassName")),
                TableColumn.of("Hosts", "Host names of the rules.", IngressStrategy::hosts),
                TableColumn.of("Address", "Addresses where traffic comes in.", Item::loadBalancer),
                TableColumn.of("Ports", "Ports that are open, 443 only with TLS.",
                        o -> o.size("spec", "tls") == 0 ? "80" : "80, 443"),
                TableColumn.age());
    }

    private static String hosts(Item ingress) {
        List<String> hosts = new ArrayList<>();
        boolean more = false;
        for (Item rule : ingress.items("spec", "rules")) {
            more |= hosts.size() == SHOWN_HOSTS;
            String host = rule.text("host");
            if (!more && !host.isEmpty()) {
                hosts.add(host);
            }
        }
        if (hosts.isEmpty()) {
            return "*";
        }
        return String.join(",", hosts)
                + (more ? " + " + (ingress.size("spec", "rules") - SHOWN_HOSTS) + " more..." : "");
    }

    @Override
    protected void validate(ObjectNode ingress, Problems problems) {
        JsonNode spec = ingress.path("spec");
        JsonNode rules = spec.path("rules");
        JsonNode fallback = spec.get("defaultBackend");
        if (rules.isEmpty() && fallback == null) {
            problems.invalid("spec", rules, "either `defaultBackend` or `rules` must be specified");
        }
        if (fallback != null) {
            backend(fallback, "spec.defaultBackend", problems);
        }
        Problems.each(rules, "spec.rules", (rule, at) -> rule(rule, at, problems));
        Problems.each(spec.path("tls"), "spec.tls", (tls, at) -> {
            Problems.each(tls.path("hosts"), at + ".hosts", (host, field) -> host(host.asString(""), field, problems));
            problems.formedIfSet(at + ".secretName", Json.text(tls, "secretName"), Formats::dnsSubdomain);
        });
        problems.formedIfPresent(spec, "spec", "ingressClassName", Formats::dnsSubdomain);
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
        problems.filled(http, at + ".http", "paths");
        Problems.each(http.path("paths"), at + ".http.paths", (path, field) -> {
            path(path, field, problems);
            backend(path.path("backend"), field + ".backend", problems);
        });
    }

    private static void path(JsonNode path, String at, Problems problems) {
        String type = Json.text(path, "pathType");
        String text = Json.text(path, "path");
        if (!path.has("pathType")) {
            problems.required(at + ".pathType", "pathType must be specified");
        } else if (type.equals("Exact") || type.equals("Prefix")) {
            if (!text.startsWith("/")) {
                problems.invalid(at + ".path", text, "must be an absolute path");
            }
            for (String part : List.of("//", "/./", "/../", "%2f", "%2F")) {
                if (text.contains(part)) {
                    problems.invalid(at + ".path", text, "must not contain '" + part + "'");
                }
            }
            for (String part : List.of("/..", "/.")) {
                if (text.endsWith(part)) {
                    problems.invalid(at + ".path", text, "cannot end with '" + part + "'");
                }
            }
        } else if (!type.equals("ImplementationSpecific")) {
            problems.notSupported(at + ".pathType", type, "Exact", "ImplementationSpecific", "Prefix");
        } else if (!text.isEmpty() && !text.startsWith("/")) {
            problems.invalid(at + ".path", text, "must be an absolute path");
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
            problems.formed(at + ".service.name", Json.text(service, "name"), Formats::dns1035Label);
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

    /** Checks a reference by group, kind and name. */
    static void reference(JsonNode reference, String at, Problems problems) {
        problems.formedIfPresent(reference, at, "apiGroup", Formats::dnsSubdomain);
        for (String field : List.of("kind", "name")) {
            problems.formed(at + "." + field, Json.text(reference, field), Formats::pathSegment);
        }
    }
}
