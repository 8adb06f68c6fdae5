package dev.wheelhouse.controllers.certificates;

import java.time.Duration;
import java.util.List;

import io.kubernetes.client.openapi.models.V1CertificateSigningRequest;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.workqueue.RateLimits;

/**
 * The base of the controllers that sync each CertificateSigningRequest until it has its certificate (upstream:
 * {@code certificate_controller.go}).
 */
abstract class RequestController extends ObjectController<V1CertificateSigningRequest> {
    private static final RateLimits LIMITS = new RateLimits(Duration.ofMillis(200), Duration.ofSeconds(1000), 10, 100);

    RequestController(String name, ControllerContext context) {
        super(name, name, context, LIMITS, null, Requests.TYPE, V1CertificateSigningRequest.class);
        primary.addEventHandler(ResourceEventHandler.ofAny(request -> queue.add(ObjectKey.of(request))));
    }

    @Override
    protected Result sync(ObjectKey key, V1CertificateSigningRequest request) {
        return Requests.certificate(request) == null ? syncPending(key, request) : Result.done();
    }

    /** Syncs a request that has no certificate yet. */
    abstract Result syncPending(ObjectKey key, V1CertificateSigningRequest request);

    /** The writes of {@link #syncPending}. */
    abstract List<Action> decide(V1CertificateSigningRequest request);

    @Override
    protected final List<Action> plan(ObjectKey key, V1CertificateSigningRequest request) {
        return Requests.certificate(request) != null ? List.of() : decide(request);
    }
}
