package dev.wheelhouse.controllers.serviceaccount;

import java.security.KeyPair;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1ServiceAccount;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerOptions;
import dev.wheelhouse.controller.IdleController;
import dev.wheelhouse.controller.KeyedController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controllers.serviceaccount.TokenDecisions.Deleted;
import dev.wheelhouse.controllers.serviceaccount.TokenDecisions.TokenSource;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.workqueue.Priority;

/**
 * Keeps the Secrets of the type {@code kubernetes.io/service-account-token} (upstream:
 * {@code pkg/controller/serviceaccount/tokens_controller.go}): it fills them, deletes them when their account is gone,
 * and removes the references of accounts to deleted Secrets. A key is an account. Without
 * {@link ControllerOptions.Identity#tokenKeys} the controller does nothing, as upstream does not start it then.
 *
 * <p>The cache holds these Secrets alone. Before the controller deletes a Secret, it asks the API server for the
 * account, because the cache may not show a new account yet.
 */
public final class TokenController extends KeyedController<ObjectKey> {
    public static final String NAME = "serviceaccount-token-controller";

    private static final Logger log = LoggerFactory.getLogger(TokenController.class);

    private final SharedIndexInformer<V1ServiceAccount> accounts;
    private final SharedIndexInformer<V1Secret> secrets;
    private final LegacyTokenSigner tokens;
    private final ResourceClient<V1ServiceAccount> live;
    private final String rootCa;
    /** The deleted Secrets whose references have not been removed yet, by their account. */
    private final Map<ObjectKey, Set<Deleted>> deleted = new ConcurrentHashMap<>();

    /** The controller if the options name a key, else one that does nothing. */
    public static Controller of(ControllerContext context) {
        ControllerOptions.Identity options = context.options().get(ControllerOptions.Identity.DEFAULTS);
        if (options.tokenKeys() != null) {
            return new TokenController(context, options.tokenKeys(), options.rootCa());
        }
        log.info("{}: fills no Secrets, because --wheelhouse.service-account-private-key-file names no key", NAME);
        return new IdleController(NAME);
    }

    private TokenController(ControllerContext context, Supplier<KeyPair> keys, String rootCa) {
        super(NAME, context);
        this.rootCa = rootCa;
        this.tokens = new LegacyTokenSigner(keys);
        this.live = context.client().resource(ResourceType.SERVICE_ACCOUNTS, V1ServiceAccount.class);
        this.secrets = TokenSecrets.informer(context.informers());
        TokenSecrets.indexByAccount(secrets);
        follow(secrets);
        this.accounts = informerFor(ResourceType.SERVICE_ACCOUNTS, V1ServiceAccount.class);
        accounts.addEventHandler(ResourceEventHandler.ofAny(account -> {
            ObjectKey key = ObjectKey.of(account);
            if (!TokenSecrets.of(secrets, key).isEmpty()) {
                queue.add(key);
            }
        }));
        secrets.addEventHandler(new OfSecrets());
    }

    @Override
    protected Result sync(ObjectKey key, SyncRun run) {
        Set<Deleted> gone = Set.copyOf(deleted.getOrDefault(key, Set.of()));
        // A plan contains no tokens, because others may see it.
        TokenSource source = run.writes() ? tokens : (account, secret) -> "a token";
        Outcome outcome = run.execute(decide(key, gone, source));
        if (outcome.succeeded()) {
            run.note(() -> deleted.computeIfPresent(key, (account, names) -> {
                names.removeAll(gone);
                return names.isEmpty() ? null : names;
            }));
            if (accounts.get(key) == null) {
                run.forget();
            }
        }
        return outcome.toResult();
    }

    private List<Action> decide(ObjectKey key, Set<Deleted> gone, TokenSource source) {
        V1ServiceAccount cached = accounts.get(key);
        List<V1Secret> its = TokenSecrets.of(secrets, key);
        boolean isOther = its.stream().anyMatch(secret -> !TokenSecrets.isOf(TokenSecrets.accountUid(secret), cached));
        return TokenDecisions.decide(isOther ? live.find(key).orElse(null) : cached, its, gone, rootCa, source);
    }

    @Override
    public ResourceType syncs() {
        return ResourceType.SERVICE_ACCOUNTS;
    }

    @Override
    protected @Nullable ObjectKey keyOf(String groupResource, ObjectKey object) {
        V1Secret secret = ResourceType.SECRETS.groupResource().equals(groupResource) ? secrets.get(object) : null;
        return secret != null
                ? TokenSecrets.account(secret)
                : syncs().groupResource().equals(groupResource) && accounts.get(object) != null ? object : null;
    }

    private final class OfSecrets implements ResourceEventHandler<V1Secret> {
        @Override
        public void onAdd(V1Secret secret, boolean initial) {
            ObjectKey account = TokenSecrets.account(secret);
            if (account != null) {
                queue.add(account, initial ? Priority.BACKGROUND : Priority.LIVE);
            }
        }

        @Override
        public void onUpdate(V1Secret before, V1Secret after) {
            onAdd(after, false);
        }

        @Override
        public void onDelete(V1Secret secret, boolean finalStateUnknown) {
            ObjectKey account = TokenSecrets.account(secret);
            if (account != null) {
                Deleted gone = new Deleted(ObjectKey.of(secret).name(), TokenSecrets.accountUid(secret));
                deleted.compute(account, (key, known) -> {
                    Set<Deleted> names = known == null ? ConcurrentHashMap.newKeySet() : known;
                    names.add(gone);
                    return names;
                });
                queue.add(account);
            }
        }
    }
}
