package dev.wheelhouse.simulation;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1CertificateSigningRequest;
import io.kubernetes.client.openapi.models.V1CertificateSigningRequestCondition;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.certificates.RequestApprover;
import dev.wheelhouse.controllers.certificates.RequestCleaner;
import dev.wheelhouse.controllers.certificates.RequestSigner;

/**
 * Only approved requests get a certificate, and no second one. The controllers approve requests of kubelets alone.
 * Requests stay for an hour after a decision, and for 24 hours without a decision or a certificate.
 */
record CertificateInvariants(Truth truth, RunHistory history) implements Invariant {
    static final ResourceType TYPE = Api.type("certificatesigningrequest");
    private static final String KUBELET = "kubernetes.io/kube-apiserver-client-kubelet";

    @Override
    public List<String> before(Write write) {
        if (!write.request().type().equals(TYPE)) {
            return List.of();
        }
        String name = write.request().key().name();
        V1CertificateSigningRequest live = truth.get(TYPE, V1CertificateSigningRequest.class, name);
        V1CertificateSigningRequest written = write.object(V1CertificateSigningRequest.class);
        if (live == null) {
            return List.of();
        }
        return switch (write.controller()) {
            case RequestApprover.NAME -> live.getSpec().getSignerName().equals(KUBELET)
                    ? List.of()
                    : List.of("the request " + name + " is approved, and is not that of a kubelet");
            case RequestSigner.NAME -> written == null || !isSigned(written) || has(live, "Approved") && !isSigned(live)
                    ? List.of()
                    : List.of("the request " + name + " is signed, and is not approved or has a certificate");
            case RequestCleaner.NAME -> isOld(live)
                    ? List.of()
                    : List.of("the request " + name + " is deleted too early");
            default -> List.of();
        };
    }

    private static boolean isSigned(V1CertificateSigningRequest request) {
        return request.getStatus() != null && request.getStatus().getCertificate() != null;
    }

    static List<V1CertificateSigningRequestCondition> conditions(V1CertificateSigningRequest request) {
        return request.getStatus() == null || request.getStatus().getConditions() == null
                ? List.of()
                : request.getStatus().getConditions();
    }

    private static boolean has(V1CertificateSigningRequest request, String type) {
        return conditions(request).stream().anyMatch(condition -> condition.getType().equals(type));
    }

    private boolean isOld(V1CertificateSigningRequest request) {
        boolean decided = isSigned(request) || has(request, "Denied") || has(request, "Failed");
        Duration kept = decided ? Duration.ofHours(1) : Duration.ofHours(24);
        return conditions(request).isEmpty()
                ? isBefore(request.getMetadata().getCreationTimestamp(), kept)
                : conditions(request).stream().anyMatch(condition -> isBefore(condition.getLastUpdateTime(), kept));
    }

    private boolean isBefore(@Nullable OffsetDateTime time, Duration kept) {
        return time != null && time.toInstant().plus(kept).isBefore(history.now());
    }
}
