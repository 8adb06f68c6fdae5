package dev.wheelhouse.controllers.certificates;

import java.util.List;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1CertificateSigningRequest;
import io.kubernetes.client.openapi.models.V1CertificateSigningRequestCondition;
import io.kubernetes.client.openapi.models.V1CertificateSigningRequestStatus;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;

import static dev.wheelhouse.api.Absent.orEmpty;

/** The states of CertificateSigningRequests (upstream: {@code certificate_controller_utils.go}). */
final class CsrConditions {
    static final ResourceType TYPE = new ResourceType("certificates.k8s.io", "v1", "certificatesigningrequests",
            "CertificateSigningRequest", false);
    static final String APPROVED = "Approved";
    static final String DENIED = "Denied";
    static final String FAILED = "Failed";

    private CsrConditions() {}

    static List<V1CertificateSigningRequestCondition> conditions(V1CertificateSigningRequest request) {
        V1CertificateSigningRequestStatus status = request.getStatus();
        return status == null ? List.of() : orEmpty(status.getConditions());
    }

    static boolean has(V1CertificateSigningRequest request, String condition) {
        return has(request, condition, any -> true);
    }

    static boolean has(V1CertificateSigningRequest request, String condition,
            Predicate<V1CertificateSigningRequestCondition> which) {
        return conditions(request).stream().anyMatch(each -> condition.equals(each.getType()) && which.test(each));
    }

    /** The certificate in the status, PEM; null if none was issued. */
    static byte @Nullable [] certificate(V1CertificateSigningRequest request) {
        byte[] certificate = request.getStatus() == null ? null : request.getStatus().getCertificate();
        return certificate == null || certificate.length == 0 ? null : certificate;
    }

    /** A copy of a request whose status can be changed. */
    static V1CertificateSigningRequest copy(V1CertificateSigningRequest request) {
        V1CertificateSigningRequest copy = ModelJson.copy(request);
        if (copy.getStatus() == null) {
            copy.setStatus(new V1CertificateSigningRequestStatus());
        }
        return copy;
    }

    static V1CertificateSigningRequest with(V1CertificateSigningRequest request,
            V1CertificateSigningRequestCondition condition) {
        V1CertificateSigningRequest copy = copy(request);
        copy.getStatus().addConditionsItem(condition.status("True"));
        return copy;
    }
}
