package dev.wheelhouse.apiserver.admission;

import java.util.Base64;
import java.util.List;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.auth.Authenticator;
import dev.wheelhouse.apiserver.auth.Authorizer;
import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.JsonValues;
import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.pki.CertificateRequest;

/**
 * The rights to request, approve and sign certificates. A right to write the request, its approval or its status is not
 * enough: the writer also needs the right to approve or sign for the signer of the request (upstream: the admission
 * plugins {@code CertificateApproval}, {@code CertificateSigning} and {@code CertificateSubjectRestriction}).
 */
record SigningRights(Authorizer authorizer) {
    private static final String GROUP = "certificates.k8s.io";
    private static final String CLIENT_SIGNER = "kubernetes.io/kube-apiserver-client";

    /**
     * Checks a valid write.
     *
     * @throws ApiException 403 if the certificate would make its owner a member of {@code system:masters}, or the
     *     writer may not approve or sign for the signer, 422 if a status write approves or denies
     */
    void check(Attributes write) {
        ObjectNode object = write.object();
        ObjectNode old = write.old();
        if (object == null || !write.type().groupResource().equals("certificatesigningrequests." + GROUP)) {
            return;
        }
        if (old == null) {
            checkCreate(write.type(), object);
        } else if (!write.target().subresource().isEmpty()) {
            checkUpdate(write.target(), object, old, write.user());
        }
    }

    private static void checkCreate(ResourceType type, ObjectNode request) {
        if (!Json.text(request, "spec", "signerName").equals(CLIENT_SIGNER)) {
            return;
        }
        List<String> groups;
        try {
            byte[] pem = Base64.getDecoder().decode(Json.text(request, "spec", "request"));
            groups = Authenticator.groups(CertificateRequest.parse(pem));
        } catch (IllegalArgumentException e) {
            throw Errors.forbidden(type, request, "failed to parse CSR: " + e.getMessage());
        }
        if (groups.contains(User.MASTERS)) {
            throw Errors.forbidden(type, request, "use of " + CLIENT_SIGNER + " signer with " + User.MASTERS
                    + " group is not allowed");
        }
    }

    private void checkUpdate(Target target, ObjectNode request, ObjectNode old, User user) {
        String signer = Json.text(old, "spec", "signerName");
        JsonNode conditions = request.path("status").path("conditions");
        JsonNode before = old.path("status").path("conditions");
        switch (target.subresource()) {
            case "approval" -> require(target, user, "approve", signer);
            case "status" -> {
                if (!JsonValues.same(Json.at(request, "status", "certificate"), Json.at(old, "status", "certificate"))
                        || !JsonValues.same(conditions, before)) {
                    for (String type : List.of("Approved", "Denied")) {
                        if (has(conditions, type) != has(before, type)) {
                            throw Errors.invalid(target.type(), target.name(), Errors.one("status.conditions",
                                    "FieldValueForbidden", "Forbidden: updates may not "
                                            + (has(before, type) ? "remove" : "add") + " a condition of type \"" + type
                                            + "\""));
                        }
                    }
                    require(target, user, "sign", signer);
                }
            }
            default -> {
            }
        }
    }

    private static boolean has(JsonNode conditions, String type) {
        return conditions.valueStream().anyMatch(condition -> Json.text(condition, "type").equals(type));
    }

    private void require(Target target, User user, String verb, String signer) {
        int slash = signer.indexOf('/');
        if (!allowed(user, verb, signer) && !(slash > 0 && allowed(user, verb, signer.substring(0, slash) + "/*"))) {
            throw Errors.forbidden(target.type(), target.name(),
                    "user not permitted to " + verb + " requests with signerName \"" + signer + "\"");
        }
    }

    private boolean allowed(User user, String verb, String signer) {
        return authorizer.authorize(user, RequestInfo.ofResource(verb, GROUP, "signers", "", "", signer)).allowed();
    }
}
