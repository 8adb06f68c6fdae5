package dev.wheelhouse.controllers.certificates;

import java.time.Duration;
import java.util.List;

import io.kubernetes.client.openapi.models.V1CertificateSigningRequest;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.KeyedController;
import dev.wheelhouse.controller.Plannable;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.workqueue.RateLimits;

/**
 * The base of the controllers that sync each CertificateSigningRequest until it has its certificate (upstream:
 * {@code certificate_controller.go}).
 */
abstract class RequestController extends KeyedController implements Plannable {
    private static final RateLimits LIMITS = new RateLimits(Duration.ofMillis(200), Duration.ofSeconds(1000), 10, 100);

    private final SharedIndexInformer<V1CertificateSigningRequest> requests;

    RequestController(String name, ControllerContext context) {
        super(name, name, context, LIMITS, null);
        requests = informerFor(Requests.TYPE, V1CertificateSigningRequest.class);
        requests.addEventHandler(ResourceEventHandler.ofAny(request -> queue.add(ObjectKey.of(request))));
    }

    @Override
    protected final Result sync(ObjectKey key) {
        V1CertificateSigningRequest request = requests.get(key);
        if (request == null) {
            forget(key);
            return Result.done();
        }
        return Requests.certificate(request) == null ? sync(key, request) : Result.done();
    }

    /** Syncs a request that has no certificate yet. */
    abstract Result sync(ObjectKey key, V1CertificateSigningRequest request);

    /** The writes of {@link #sync(ObjectKey, V1CertificateSigningRequest)}. */
    abstract List<Action> decide(V1CertificateSigningRequest request);

    @Override
    public final ResourceType plansFor() {
        return Requests.TYPE;
    }

    @Override
    public final boolean knows(ObjectKey key) {
        return requests.get(key) != null;
    }

    @Override
    public final List<Action> plan(ObjectKey key) {
        V1CertificateSigningRequest request = requests.get(key);
        return request == null || Requests.certificate(request) != null ? List.of() : decide(request);
    }
}
