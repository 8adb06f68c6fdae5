package dev.wheelhouse.controllers.certificates;

import java.time.Duration;

import io.kubernetes.client.openapi.models.V1CertificateSigningRequest;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.OwnKeys;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.workqueue.RateLimits;

/**
 * The base of the controllers that sync each CertificateSigningRequest until it has its certificate (upstream:
 * {@code certificate_controller.go}).
 */
abstract class CsrController extends ObjectController<V1CertificateSigningRequest> {
    private static final RateLimits LIMITS = new RateLimits(Duration.ofMillis(200), Duration.ofSeconds(1000), 10, 100);

    CsrController(String name, ControllerContext context) {
        super(name, name, context, LIMITS, null, CsrConditions.TYPE, V1CertificateSigningRequest.class);
        primary.addEventHandler(new OwnKeys<>(queue));
    }

    @Override
    protected Result sync(ObjectKey key, V1CertificateSigningRequest request, SyncRun run) {
        return CsrConditions.certificate(request) == null ? syncPending(request, run) : Result.done();
    }

    /** Syncs a request that has no certificate yet. */
    abstract Result syncPending(V1CertificateSigningRequest request, SyncRun run);
}
