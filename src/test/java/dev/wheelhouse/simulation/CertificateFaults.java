package dev.wheelhouse.simulation;

import java.util.List;

import io.kubernetes.client.openapi.models.V1CertificateSigningRequest;
import io.kubernetes.client.openapi.models.V1CertificateSigningRequestCondition;
import io.kubernetes.client.openapi.models.V1CertificateSigningRequestStatus;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.certificates.RequestApprover;
import dev.wheelhouse.controllers.certificates.RequestSigner;
import dev.wheelhouse.simulation.PlantedFault.Defect;

/** Errors of the controllers of requests for certificates. */
final class CertificateFaults {
    /** Every request without a decision is approved. */
    private static final Defect APPROVES_ALL = Defects.decision(RequestApprover.NAME, truth -> (owner, actions) -> {
        V1CertificateSigningRequest request = truth.get(CertificateInvariants.TYPE, V1CertificateSigningRequest.class,
                Defects.object(owner).name());
        if (request == null || !CertificateInvariants.conditions(request).isEmpty()) {
            return actions;
        }
        V1CertificateSigningRequest approved = ModelJson.copy(request);
        approved.setStatus(new V1CertificateSigningRequestStatus().addConditionsItem(
                new V1CertificateSigningRequestCondition().type("Approved").status("True").reason("All")));
        return List.of(new Action.UpdateSubresource(CertificateInvariants.TYPE, approved, "approval", "nobody asked"));
    });

    private CertificateFaults() {}

    static List<PlantedFault> all() {
        return List.of(
                new PlantedFault("a request of a person that is approved", "is approved, and is not that of a kubelet",
                        APPROVES_ALL),
                new PlantedFault("requests that are not signed", "no status tells that the last change was seen",
                        Defects.idle(RequestSigner.NAME)));
    }
}
