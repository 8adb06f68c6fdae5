package dev.wheelhouse.controllers.certificates;

import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1CertificateSigningRequest;
import io.kubernetes.client.openapi.models.V1CertificateSigningRequestCondition;
import io.kubernetes.client.openapi.models.V1CertificateSigningRequestSpec;

import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.pki.CertificateRequest;
import dev.wheelhouse.pki.SigningAuthority;
import dev.wheelhouse.runtime.Durations;

/**
 * Signs approved requests to the signers of Kubernetes whose authorities {@link ControllerOptions.Identity#signers}
 * names (upstream: {@code pkg/controller/certificates/signer}). A request that the signer does not accept gets the
 * condition {@code Failed}. A request whose certificate cannot be issued is tried again.
 */
public final class RequestSigner extends CsrController {
    public static final String NAME = "certificatesigningrequest-signing-controller";

    private static final Logger log = LoggerFactory.getLogger(RequestSigner.class);

    private final ControllerOptions.Identity options;

    public RequestSigner(ControllerContext context) {
        super(NAME, context);
        options = context.options().get(ControllerOptions.Identity.DEFAULTS);
        if (options.signers().isEmpty()) {
            log.info("{}: signs no requests, because --wheelhouse.cluster-signing-cert-file names no authority", NAME);
        }
    }

    @Override
    Result syncPending(V1CertificateSigningRequest request, SyncRun run) {
        return run.execute(decide(request, options, clock.now())).toResult();
    }

    /**
     * The write of the certificate, or of the refusal. A pure function but for the certificate's serial number.
     *
     * @throws IllegalArgumentException if the certificate cannot be issued
     */
    static List<Action> decide(V1CertificateSigningRequest request, ControllerOptions.Identity options, Instant now) {
        V1CertificateSigningRequestSpec spec = request.getSpec();
        Signer signer = Signer.of(spec.getSignerName());
        Supplier<SigningAuthority> authority = options.signers().get(spec.getSignerName());
        if (signer == null || authority == null || !isWaiting(request)) {
            return List.of();
        }
        CertificateRequest parsed = CertificateRequest.parse(spec.getRequest());
        List<String> usages = RequestApprover.usages(spec);
        String problem = signer.problem(parsed, usages);
        if (problem != null) {
            return List.of(new Action.UpdateStatus(CsrConditions.TYPE,
                    CsrConditions.with(request, new V1CertificateSigningRequestCondition().type(CsrConditions.FAILED)
                            .reason("SignerValidationFailure").message(problem)
                            .lastUpdateTime(Durations.wholeSeconds(now))),
                    "the signer does not accept the request"));
        }
        V1CertificateSigningRequest signed = CsrConditions.copy(request);
        signed.getStatus().setCertificate(CertificateIssuer.issue(parsed, usages,
                CertificateIssuer.life(spec.getExpirationSeconds(), options.clusterSigningDuration()), authority.get(),
                now));
        return List.of(new Action.UpdateStatus(CsrConditions.TYPE, signed, "the request is approved"));
    }

    /** Whether a request is approved, and neither denied nor failed. */
    private static boolean isWaiting(V1CertificateSigningRequest request) {
        return CsrConditions.has(request, CsrConditions.APPROVED) && !CsrConditions.has(request, CsrConditions.DENIED)
                && !CsrConditions.has(request, CsrConditions.FAILED, condition -> condition.getStatus() == null
                        || condition.getStatus().isEmpty() || condition.getStatus().equals("True"));
    }
}
