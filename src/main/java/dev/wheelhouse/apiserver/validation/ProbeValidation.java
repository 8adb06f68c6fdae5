package dev.wheelhouse.apiserver.validation;

import java.util.List;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

/** The rules of probes and lifecycle hooks (upstream: {@code pkg/apis/core/validation/validation.go}). */
public final class ProbeValidation {
    private ProbeValidation() {}

    /** @param kind {@code livenessProbe}, {@code readinessProbe} or {@code startupProbe} */
    static void probe(JsonNode probe, String kind, String path, Problems problems) {
        handler(probe, path, Long.MAX_VALUE, problems);
        for (String field : List.of("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold",
                "failureThreshold")) {
            problems.nonNegative(probe, path, field);
        }
        Long grace = PodValidation.number(probe, "terminationGracePeriodSeconds");
        if (grace != null && grace <= 0) {
            problems.invalid(path + ".terminationGracePeriodSeconds", grace, "must be greater than 0");
        }
        long successes = Json.number(probe, 0, "successThreshold");
        if (kind.equals("readinessProbe")) {
            if (grace != null) {
                problems.invalid(path + ".terminationGracePeriodSeconds", grace, "must not be set for readinessProbes");
            }
        } else if (successes != 1) {
            problems.invalid(path + ".successThreshold", successes, "must be 1");
        }
    }

    /** @param grace the seconds that the pod has to end */
    static void handler(JsonNode handler, String path, long grace, Problems problems) {
        int found = 0;
        for (String type : List.of("exec", "httpGet", "tcpSocket", "grpc", "sleep")) {
            JsonNode action = Json.at(handler, type);
            if (action == null) {
                continue;
            }
            String at = path + "." + type;
            if (found++ > 0) {
                problems.forbidden(at, "may not specify more than 1 handler type");
                continue;
            }
            switch (type) {
                case "exec" -> {
                    problems.filled(action, at, "command");
                }
                case "httpGet" -> http(action, at, problems);
                case "tcpSocket", "grpc" -> port(action, at + ".port", problems);
                default -> {
                    long seconds = Json.number(action, 0, "seconds");
                    if (seconds < 0 || seconds > grace) {
                        problems.invalid(at, seconds, "must be non-negative and less than "
                                + "terminationGracePeriodSeconds (" + grace + ")");
                    }
                }
            }
        }
        if (found == 0) {
            problems.required(path, "must specify a handler type");
        }
    }

    private static void http(JsonNode action, String path, Problems problems) {
        problems.filled(action, path, "path");
        port(action, path + ".port", problems);
        String scheme = Json.text(action, "scheme");
        problems.supported(path + ".scheme", scheme, "HTTP", "HTTPS");
        for (JsonNode header : action.path("httpHeaders")) {
            String name = Json.text(header, "name");
            problems.invalid(path + ".httpHeaders", name, Formats.headerName(name));
        }
    }

    private static void port(JsonNode action, String path, Problems problems) {
        portNumberOrName(action.get("port"), path, problems);
    }

    /** Checks a port that is a number or the name of a port of the container. */
    public static void portNumberOrName(@Nullable JsonNode port, String path, Problems problems) {
        if (port != null && port.isString()) {
            problems.invalid(path, port.stringValue(), Formats.portName(port.stringValue()));
        } else {
            long number = port == null ? 0 : port.asLong(0);
            Formats.portNumber(number).forEach(message -> problems.invalid(path, number, message));
        }
    }
}
