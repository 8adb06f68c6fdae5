package dev.wheelhouse.apiserver.kinds;

import java.util.List;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;

/** The rules of the status of workloads, pods and namespaces (upstream: the {@code …StatusUpdate} validations). */
final class StatusValidation {
    private StatusValidation() {}

    static void update(String kind, ObjectNode object, ObjectNode old, Problems problems) {
        JsonNode status = object.path("status");
        switch (kind) {
            case "/Pod" -> pod(status, old, problems);
            case "certificates.k8s.io/CertificateSigningRequest", "apiregistration.k8s.io/APIService" ->
                conditions(status, problems);
            default -> {
                // no rules of its own
            }
        }
    }

    private static void pod(JsonNode status, ObjectNode old, Problems problems) {
        String nominated = Json.text(status, "nominatedNodeName");
        if (!nominated.isEmpty()) {
            problems.invalid("status.nominatedNodeName", nominated, Formats.dnsSubdomain(nominated));
        }
        int i = 0;
        for (JsonNode condition : status.path("conditions")) {
            String type = Json.text(condition, "type");
            problems.invalid(Problems.at("status.conditions", i++) + ".Type", type, Formats.qualifiedName(type));
        }
        i = 0;
        boolean valid = true;
        for (JsonNode address : status.path("podIPs")) {
            List<String> wrong = Formats.ip(Json.text(address, "ip"));
            valid &= wrong.isEmpty();
            problems.invalid(Problems.at("status.podIPs", i++), Json.text(address, "ip"), wrong);
        }
        if (valid && (i > 2 || i == 2 && Json.text(status.path("podIPs").get(0), "ip")
                .contains(":") == Json.text(status.path("podIPs").get(1), "ip").contains(":"))) {
            problems.invalid("status.podIPs", status.get("podIPs"),
                    "may specify no more than one IP for each IP family");
        }
        String before = Json.text(old, "status", "qosClass");
        String now = Json.text(status, "qosClass");
        if (!before.isEmpty() && !now.isEmpty() && !now.equals(before)) {
            problems.invalid("status.qosClass", now, "field is immutable");
        }
    }

    private static void conditions(JsonNode status, Problems problems) {
        int i = 0;
        for (JsonNode condition : status.path("conditions")) {
            String at = Problems.at("status.conditions", i++);
            String value = Json.text(condition, "status");
            if (!List.of("True", "False", "Unknown").contains(value)) {
                problems.notSupported(at + ".status", value, "False", "True", "Unknown");
            }
        }
    }
}
