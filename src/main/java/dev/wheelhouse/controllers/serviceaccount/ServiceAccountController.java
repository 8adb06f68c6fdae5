package dev.wheelhouse.controllers.serviceaccount;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ServiceAccount;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.KeyedController;
import dev.wheelhouse.controller.Plannable;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.workqueue.RateLimits;

/**
 * Keeps a ServiceAccount {@code default} in each active namespace (upstream:
 * {@code pkg/controller/serviceaccount/serviceaccounts_controller.go}). A key is a namespace.
 */
public final class ServiceAccountController extends KeyedController implements Plannable {
    /** The name that upstream's kube-controller-manager uses. */
    public static final String NAME = "serviceaccount-controller";

    private static final String DEFAULT = "default";

    private final SharedIndexInformer<V1Namespace> namespaces;
    private final SharedIndexInformer<V1ServiceAccount> accounts;

    /** Registers the event handlers; the caller runs the workers. */
    public ServiceAccountController(ControllerContext context) {
        super(NAME, NAME, context, RateLimits.CONTROLLER, 1);
        namespaces = informerFor(ResourceType.NAMESPACES, V1Namespace.class);
        accounts = informerFor(ResourceType.SERVICE_ACCOUNTS, V1ServiceAccount.class);
        namespaces.addEventHandler(ResourceEventHandler.ofAny(namespace -> queue.add(ObjectKey.of(namespace))));
        accounts.addEventHandler(new ResourceEventHandler<>() {
            @Override
            public void onAdd(V1ServiceAccount account, boolean initial) {}

            @Override
            public void onUpdate(V1ServiceAccount before, V1ServiceAccount after) {}

            @Override
            public void onDelete(V1ServiceAccount account, boolean finalStateUnknown) {
                queue.add(ObjectKey.cluster(String.valueOf(account.getMetadata().getNamespace())));
            }
        });
    }

    @Override
    protected Result sync(ObjectKey key) {
        V1Namespace namespace = namespaces.get(key);
        if (namespace == null) {
            forget(key);
            return Result.done();
        }
        Outcome outcome = executor.execute(key, decide(namespace, account(key)));
        ApiError error = outcome.error();
        return error != null && (error.isAlreadyExists() || error.isNamespaceTerminating())
                ? Result.done()
                : outcome.toResult();
    }

    private @Nullable V1ServiceAccount account(ObjectKey namespace) {
        return accounts.get(ObjectKey.of(namespace.name(), DEFAULT));
    }

    /** The creation of the account that an active namespace misses. A pure function. */
    static List<Action> decide(V1Namespace namespace, @Nullable V1ServiceAccount account) {
        boolean active = namespace.getStatus() != null && "Active".equals(namespace.getStatus().getPhase());
        return !active || account != null
                ? List.of()
                : List.of(new Action.Create(ResourceType.SERVICE_ACCOUNTS,
                        new V1ServiceAccount().apiVersion("v1").kind("ServiceAccount").metadata(
                                new V1ObjectMeta().namespace(namespace.getMetadata().getName()).name(DEFAULT)),
                        "the namespace has no default account"));
    }

    @Override
    public ResourceType plansFor() {
        return ResourceType.NAMESPACES;
    }

    @Override
    public boolean knows(ObjectKey key) {
        return namespaces.get(key) != null;
    }

    @Override
    public List<Action> plan(ObjectKey key) {
        V1Namespace namespace = namespaces.get(key);
        return namespace == null ? List.of() : decide(namespace, account(key));
    }
}
