package dev.wheelhouse.controllers.serviceaccount;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

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
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerOptions;
import dev.wheelhouse.controller.KeyedController;
import dev.wheelhouse.controller.Plannable;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controllers.serviceaccount.TokenDecisions.Deleted;
import dev.wheelhouse.controllers.serviceaccount.TokenDecisions.TokenSource;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;

/**
 * Keeps the Secrets of the type {@code kubernetes.io/service-account-token} (upstream:
 * {@code pkg/controller/serviceaccount/tokens_controller.go}): it fills them, deletes them when their account is gone,
 * and removes the references of accounts to deleted Secrets. A key is an account. Without
 * {@link ControllerOptions.Identity#tokenKeys} the controller does nothing, as upstream does not start it then.
 *
 * <p>The cache holds these Secrets alone. Before the controller deletes a Secret, it asks the API server for the
 * account, because the cache may not show a new account yet.
 */
public final class TokenController extends KeyedController<ObjectKey> implements Plannable {
    public static final String NAME = "serviceaccount-token-controller";

    private static final Logger log = LoggerFactory.getLogger(TokenController.class);

    private final @Nullable Caches caches;
    private final ResourceClient<V1ServiceAccount> live;
    private final String rootCa;
    /** The deleted Secrets whose references have not been removed yet, by their account. */
    private final Map<ObjectKey, Set<Deleted>> deleted = new ConcurrentHashMap<>();

    private record Caches(SharedIndexInformer<V1ServiceAccount> accounts, SharedIndexInformer<V1Secret> secrets,
            LegacyTokens tokens) {}

    public TokenController(ControllerContext context) {
        super(NAME, context);
        ControllerOptions.Identity options = context.options().get(ControllerOptions.Identity.DEFAULTS);
        rootCa = options.rootCa();
        live = context.client().resource(ResourceType.SERVICE_ACCOUNTS, V1ServiceAccount.class);
        if (options.tokenKeys() == null) {
            log.info("{}: fills no Secrets, because --wheelhouse.service-account-private-key-file names no key", NAME);
            caches = null;
            return;
        }
        SharedIndexInformer<V1Secret> secrets = TokenSecrets.informer(context.informers());
        TokenSecrets.indexByAccount(secrets);
        follow(secrets);
        caches = new Caches(informerFor(ResourceType.SERVICE_ACCOUNTS, V1ServiceAccount.class), secrets,
                new LegacyTokens(options.tokenKeys()));
        caches.accounts.addEventHandler(ResourceEventHandler.ofAny(account -> {
            ObjectKey key = ObjectKey.of(account);
            if (!TokenSecrets.of(secrets, key).isEmpty()) {
                queue.add(key);
            }
        }));
        secrets.addEventHandler(new OfSecrets());
    }

    @Override
    protected Result sync(ObjectKey key) {
        Set<Deleted> gone = Set.copyOf(deleted.getOrDefault(key, Set.of()));
        Caches known = Objects.requireNonNull(caches);
        Outcome outcome = executor.execute(key, decide(known, key, gone, known.tokens));
        if (outcome.succeeded()) {
            deleted.computeIfPresent(key, (account, names) -> {
                names.removeAll(gone);
                return names.isEmpty() ? null : names;
            });
            if (!knows(key)) {
                forget(key);
            }
        }
        return outcome.toResult();
    }

    private List<Action> decide(Caches known, ObjectKey key, Set<Deleted> gone, TokenSource tokens) {
        V1ServiceAccount account = known.accounts.get(key);
        List<V1Secret> secrets = TokenSecrets.of(known.secrets, key);
        V1ServiceAccount cached = account;
        if (secrets.stream().anyMatch(secret -> !TokenSecrets.isOf(TokenSecrets.accountUid(secret), cached))) {
            account = live.find(key).orElse(null);
        }
        return TokenDecisions.decide(account, secrets, gone, rootCa, tokens);
    }

    @Override
    public ResourceType plansFor() {
        return ResourceType.SERVICE_ACCOUNTS;
    }

    @Override
    public boolean knows(ObjectKey key) {
        return caches != null && caches.accounts.get(key) != null;
    }

    /** {@inheritDoc} The plan contains no tokens, because others may see it. */
    @Override
    public List<Action> plan(ObjectKey key) {
        return caches != null && knows(key)
                ? decide(caches, key, deleted.getOrDefault(key, Set.of()), (account, secret) -> "a token")
                : List.of();
    }

    private final class OfSecrets implements ResourceEventHandler<V1Secret> {
        @Override
        public void onAdd(V1Secret secret, boolean initial) {
            ObjectKey account = TokenSecrets.account(secret);
            if (account != null) {
                queue.add(account);
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
