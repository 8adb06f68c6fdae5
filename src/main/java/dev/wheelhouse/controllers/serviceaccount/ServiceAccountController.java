package dev.wheelhouse.controllers.serviceaccount;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ServiceAccount;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.OwnKeys;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.workqueue.RateLimits;

/**
 * Keeps a ServiceAccount {@code default} in each active namespace (upstream:
 * {@code pkg/controller/serviceaccount/serviceaccounts_controller.go}). A key is a namespace.
 */
public final class ServiceAccountController extends ObjectController<V1Namespace> {
    public static final String NAME = "serviceaccount-controller";

    private static final String DEFAULT = "default";

    private final SharedIndexInformer<V1ServiceAccount> accounts;

    public ServiceAccountController(ControllerContext context) {
        super(NAME, NAME, context, RateLimits.CONTROLLER, 1, ResourceType.NAMESPACES, V1Namespace.class);
        accounts = informerFor(ResourceType.SERVICE_ACCOUNTS, V1ServiceAccount.class);
        primary.addEventHandler(new OwnKeys<>(queue));
        accounts.addEventHandler(new ResourceEventHandler<>() {
            @Override
            public void onDelete(V1ServiceAccount account, boolean finalStateUnknown) {
                queue.add(ObjectKey.cluster(String.valueOf(account.getMetadata().getNamespace())));
            }
        });
    }

    @Override
    protected Result sync(ObjectKey key, V1Namespace namespace, SyncRun run) {
        Outcome outcome = run.execute(decide(namespace, accounts.get(ObjectKey.of(key.name(), DEFAULT))));
        KubeApiException error = outcome.error();
        return error != null && (error.isAlreadyExists() || error.isNamespaceTerminating())
                ? Result.done()
                : outcome.toResult();
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
}
