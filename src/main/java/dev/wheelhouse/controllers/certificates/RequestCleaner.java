package dev.wheelhouse.controllers.certificates;

import java.io.ByteArrayInputStream;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1CertificateSigningRequest;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controllers.RoundController;

/**
 * Every hour deletes old CertificateSigningRequests (upstream: {@code pkg/controller/certificates/cleaner}): those that
 * were denied, failed or got a certificate more than an hour ago, those that nobody decided on for 24 hours, approved
 * ones that nobody signed for 24 hours, and those whose certificate has expired. A failed deletion is tried again in
 * the next round. The first round is an hour after the start, because upstream's first one does not wait for the cache
 * and finds it empty.
 */
public final class RequestCleaner extends RoundController<V1CertificateSigningRequest> {
    public static final String NAME = "certificatesigningrequest-cleaner-controller";

    static final Duration PERIOD = Duration.ofHours(1);
    private static final Duration DECIDED = Duration.ofHours(1);
    private static final Duration PENDING = Duration.ofHours(24);

    /** Schedules the first round. */
    public RequestCleaner(ControllerContext context) {
        super(NAME, context, context.informers().informer(CsrConditions.TYPE, V1CertificateSigningRequest.class),
                PERIOD, PERIOD);
    }

    @Override
    protected void look(List<V1CertificateSigningRequest> all, SyncRun run) {
        tryEach(all.stream().flatMap(request -> decide(request, clock.now()).stream()).toList(), run);
    }

    /** The deletion of a request that is old enough. A pure function. */
    static List<Action.Write> decide(V1CertificateSigningRequest request, Instant now) {
        String why = why(request, now);
        return why == null
                ? List.of()
                : List.of(new Action.Delete(CsrConditions.TYPE, ObjectKey.of(request),
                        Deletion.ofUid(request.getMetadata().getUid()), why));
    }

    private static @Nullable String why(V1CertificateSigningRequest request, Instant now) {
        byte[] certificate = CsrConditions.certificate(request);
        if (certificate != null && has(request, CsrConditions.APPROVED, DECIDED, now)) {
            return "its certificate was issued more than an hour ago";
        }
        if (has(request, CsrConditions.DENIED, DECIDED, now)) {
            return "it was denied more than an hour ago";
        }
        if (has(request, CsrConditions.FAILED, DECIDED, now)) {
            return "it failed more than an hour ago";
        }
        if (CsrConditions.conditions(request).isEmpty()
                && isOlder(request.getMetadata().getCreationTimestamp(), PENDING, now)) {
            return "nobody has decided on it for 24 hours";
        }
        if (certificate != null && CsrConditions.has(request, CsrConditions.APPROVED) && hasExpired(certificate, now)) {
            return "its certificate has expired";
        }
        return certificate == null && has(request, CsrConditions.APPROVED, PENDING, now)
                ? "nobody has signed it for 24 hours"
                : null;
    }

    private static boolean has(V1CertificateSigningRequest request, String condition, Duration age, Instant now) {
        return CsrConditions.has(request, condition, each -> isOlder(each.getLastUpdateTime(), age, now));
    }

    private static boolean isOlder(@Nullable OffsetDateTime time, Duration age, Instant now) {
        return time != null && time.toInstant().plus(age).isBefore(now);
    }

    private static boolean hasExpired(byte[] certificate, Instant now) {
        try {
            return CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(certificate)) instanceof X509Certificate first
                    && now.isAfter(first.getNotAfter().toInstant());
        } catch (CertificateException e) {
            // The certificate of a foreign signer may have another form.
            return false;
        }
    }
}
