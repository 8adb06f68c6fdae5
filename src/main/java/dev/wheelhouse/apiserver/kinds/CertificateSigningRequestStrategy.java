package dev.wheelhouse.apiserver.kinds;

import java.time.Duration;
import java.util.List;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Column;
import dev.wheelhouse.apiserver.table.HumanDuration;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.facts.ResourceInfo;
import tools.jackson.databind.JsonNode;

/**
 * Requests for certificates. The server fills in the user who makes one (upstream:
 * {@code pkg/registry/certificates/certificates}).
 */
final class CertificateSigningRequestStrategy extends Strategy {
    CertificateSigningRequestStrategy() {
        super("certificates.k8s.io", "CertificateSigningRequest", Column.objectName(), Column.age(),
                Column.of("SignerName", "Signer that is asked.", o -> o.textOr(Item.NONE, "spec", "signerName")),
                Column.of("Requestor", "User who asks for the certificate.", o -> o.text("spec", "username")),
                Column.of("RequestedDuration", "Validity that is asked for.",
                        o -> o.has("spec", "expirationSeconds")
                                ? HumanDuration.of(Duration.ofSeconds(o.number("spec", "expirationSeconds")))
                                : Item.NONE),
                Column.of("Condition", "State of the request.", CertificateSigningRequestStrategy::state));
    }

    private static String state(Item request) {
        String state = has(request, "Denied") ? "Denied" : has(request, "Approved") ? "Approved" : "Pending";
        return state + (has(request, "Failed") ? ",Failed" : "")
                + (request.text("status", "certificate").isEmpty() ? "" : ",Issued");
    }

    private static boolean has(Item request, String condition) {
        return request.items("status", "conditions").stream().anyMatch(c -> c.text("type").equals(condition));
    }

    @Override
    protected void create(ObjectNode object, User writer, ClusterState state) {
        ObjectNode spec = Json.child(object, "spec");
        spec.remove(List.of("username", "uid", "groups", "extra"));
        ObjectNode info = writer.toJson();
        spec.put("username", writer.name());
        for (String field : List.of("uid", "groups", "extra")) {
            if (info.get(field) != null) {
                spec.set(field, info.get(field));
            }
        }
    }

    /** The subresource {@code approval} writes a part of the status. */
    @Override
    public void prepareForUpdate(ResourceInfo info, String subresource, ObjectNode object, ObjectNode old,
            ClusterState state) {
        super.prepareForUpdate(info, subresource.equals("approval") ? "status" : subresource, object, old, state);
    }

    @Override
    protected void validateStatus(ObjectNode object, ObjectNode old, Problems problems) {
        conditions(object.path("status"), problems);
    }

    /** Checks the values of the conditions in a status. */
    static void conditions(JsonNode status, Problems problems) {
        int i = 0;
        for (JsonNode condition : status.path("conditions")) {
            String at = Problems.at("status.conditions", i++) + ".status";
            String value = Json.text(condition, "status");
            if (!List.of("True", "False", "Unknown").contains(value)) {
                problems.notSupported(at, value, "False", "True", "Unknown");
            }
        }
    }
}
