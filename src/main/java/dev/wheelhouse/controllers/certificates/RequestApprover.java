package dev.wheelhouse.controllers.certificates;

import java.util.List;
import java.util.Optional;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1CertificateSigningRequest;
import io.kubernetes.client.openapi.models.V1CertificateSigningRequestCondition;
import io.kubernetes.client.openapi.models.V1CertificateSigningRequestSpec;
import io.kubernetes.client.openapi.models.V1ResourceAttributes;
import io.kubernetes.client.openapi.models.V1SubjectAccessReview;
import io.kubernetes.client.openapi.models.V1SubjectAccessReviewSpec;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.pki.CertificateRequest;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Approves the requests of kubelets for client certificates, if the API server says that the requestor may have them
 * (upstream: {@code pkg/controller/certificates/approver}). It asks by a SubjectAccessReview for the subresource
 * {@code selfnodeclient} if a node requests its own certificate, and for {@code nodeclient}. A request that the
 * requestor may not make is asked about again later, because rights may be granted.
 */
public final class RequestApprover extends CsrController {
    public static final String NAME = "certificatesigningrequest-approving-controller";

    private static final Logger log = LoggerFactory.getLogger(RequestApprover.class);
    private static final ResourceType REVIEWS = new ResourceType("authorization.k8s.io", "v1",
            "subjectaccessreviews", "SubjectAccessReview", false);

    /** A right by which a request is approved. */
    enum Right {
        OWN_NODE("selfnodeclient", "Auto approving self kubelet client certificate after SubjectAccessReview."),
        ANY_NODE("nodeclient", "Auto approving kubelet client certificate after SubjectAccessReview.");

        final String subresource;
        final String message;

        Right(String subresource, String message) {
            this.subresource = subresource;
            this.message = message;
        }
    }

    private final ResourceClient<V1SubjectAccessReview> reviews;

    public RequestApprover(ControllerContext context) {
        super(NAME, context);
        reviews = context.client().resource(REVIEWS, V1SubjectAccessReview.class);
    }

    @Override
    Result syncPending(V1CertificateSigningRequest request, SyncRun run) {
        List<Right> rights = rights(request);
        Optional<Right> held = rights.stream().filter(right -> isAllowed(request, right)).findFirst();
        if (held.isPresent() || rights.isEmpty()) {
            return run.execute(held.map(right -> approval(request, right)).stream().toList()).toResult();
        }
        log.debug("{}: {} is not approved, because {} lacks the right to create {}", NAME, ObjectKey.of(request),
                request.getSpec().getUsername(), rights);
        return Result.requeue();
    }

    /**
     * The rights of which one suffices to approve a request; none if the request is not that of a kubelet, or was
     * approved or denied. A pure function.
     *
     * @throws IllegalArgumentException if the request cannot be parsed
     */
    static List<Right> rights(V1CertificateSigningRequest request) {
        if (CsrConditions.has(request, CsrConditions.APPROVED) || CsrConditions.has(request, CsrConditions.DENIED)) {
            return List.of();
        }
        V1CertificateSigningRequestSpec spec = request.getSpec();
        if (!spec.getSignerName().equals(Signer.KUBELET_CLIENT.name)) {
            return List.of();
        }
        CertificateRequest parsed = CertificateRequest.parse(spec.getRequest());
        if (Signer.KUBELET_CLIENT.problem(parsed, usages(spec)) != null) {
            return List.of();
        }
        return parsed.commonName().equals(spec.getUsername())
                ? List.of(Right.OWN_NODE, Right.ANY_NODE)
                : List.of(Right.ANY_NODE);
    }

    static List<String> usages(V1CertificateSigningRequestSpec spec) {
        return orEmpty(spec.getUsages());
    }

    /** The approval by a right that the requestor has. A pure function. */
    static Action approval(V1CertificateSigningRequest request, Right held) {
        return new Action.UpdateSubresource(CsrConditions.TYPE,
                CsrConditions.with(request, new V1CertificateSigningRequestCondition().type(CsrConditions.APPROVED)
                        .reason("AutoApproved").message(held.message)),
                "approval", "its requestor may create " + held.subresource);
    }

    private boolean isAllowed(V1CertificateSigningRequest request, Right right) {
        V1CertificateSigningRequestSpec spec = request.getSpec();
        V1SubjectAccessReview answer = reviews.create(new V1SubjectAccessReview().apiVersion(REVIEWS.apiVersion())
                .kind(REVIEWS.kind()).spec(new V1SubjectAccessReviewSpec().user(spec.getUsername()).uid(spec.getUid())
                        .groups(spec.getGroups()).extra(spec.getExtra()).resourceAttributes(
                                new V1ResourceAttributes().group(CsrConditions.TYPE.group())
                                        .resource(CsrConditions.TYPE.plural()).verb("create")
                                        .subresource(right.subresource)
                                        .version("*"))));
        return answer.getStatus() != null && Boolean.TRUE.equals(answer.getStatus().getAllowed());
    }
}
