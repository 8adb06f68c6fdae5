package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Set;

import dev.wheelhouse.apiserver.table.Column;
import dev.wheelhouse.apiserver.table.Item;

/** Requests for certificates of pods (upstream: {@code pkg/registry/certificates/podcertificaterequest}). */
final class PodCertificateRequestStrategy extends Strategy {
    PodCertificateRequestStrategy() {
        super("certificates.k8s.io", "PodCertificateRequest", Set.of(Trait.UPDATED_BY_VERSION), Column.objectName(),
                Column.of("PodName", "Pod that the certificate is for.", o -> o.text("spec", "podName")),
                Column.of("ServiceAccountName", "Service account of the pod.",
                        o -> o.text("spec", "serviceAccountName")),
                Column.of("NodeName", "Node of the pod.", o -> o.text("spec", "nodeName")),
                Column.of("SignerName", "Signer that is asked.", o -> o.text("spec", "signerName")),
                Column.of("State", "State of the request.", PodCertificateRequestStrategy::state),
                Column.of("UnverifiedUserAnnotations", "Annotations that the pod gives, unchecked.",
                        o -> o.labels("spec", "unverifiedUserAnnotations")));
    }

    private static String state(Item request) {
        String state = "Pending";
        for (Item condition : request.items("status", "conditions")) {
            String type = condition.text("type");
            if (List.of("Issued", "Denied", "Failed").contains(type)) {
                state = type;
            }
        }
        return state;
    }
}
