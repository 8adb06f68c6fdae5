package dev.wheelhouse.apiserver.kinds;

import java.util.List;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.facts.ResourceInfo;

/** Requests for certificates, which say who made them (upstream: {@code pkg/registry/certificates/certificates}). */
final class CertificateSigningRequestStrategy extends Strategy {
    CertificateSigningRequestStrategy() {
        super("certificates.k8s.io", "CertificateSigningRequest");
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

    /** The approval is a part of the status with a right of its own. */
    @Override
    public void prepareForUpdate(ResourceInfo info, String subresource, ObjectNode object, ObjectNode old,
            ClusterState state) {
        super.prepareForUpdate(info, subresource.equals("approval") ? "status" : subresource, object, old, state);
    }

    @Override
    protected void validateStatus(ObjectNode object, ObjectNode old, Problems problems) {
        StatusValidation.update("certificates.k8s.io/CertificateSigningRequest", object, old, problems);
    }
}
