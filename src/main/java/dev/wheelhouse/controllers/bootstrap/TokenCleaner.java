package dev.wheelhouse.controllers.bootstrap;

import java.time.Instant;
import java.util.List;

import io.kubernetes.client.openapi.models.V1Secret;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.workqueue.RateLimits;

/**
 * Deletes each bootstrap token at the time in its field {@code expiration}, or at once if that is no time (upstream:
 * {@code pkg/controller/bootstrap/tokencleaner.go}, which tries a deletion only once).
 */
public final class TokenCleaner extends ObjectController<V1Secret> {
    public static final String NAME = "token-cleaner-controller";

    public TokenCleaner(ControllerContext context) {
        super(NAME, NAME, context, RateLimits.CONTROLLER, 1, BootstrapTokens.informer(context.informers()));
        watch(primary).enqueue(ObjectKey::of);
    }

    @Override
    protected Result sync(ObjectKey key, V1Secret secret, SyncRun run) {
        return run.execute(decide(secret, clock.now())).toResult();
    }

    /** The deletion of an expired token, or a sync when it expires. A pure function. */
    static List<Action> decide(V1Secret secret, Instant now) {
        return BootstrapTokens.expiration(secret).isAfter(now)
                ? BootstrapTokens.atNextExpiration(List.of(secret), now)
                : List.of(new Action.Delete(ResourceType.SECRETS, ObjectKey.of(secret),
                        Deletion.ofUid(secret.getMetadata().getUid()), "the bootstrap token has expired"));
    }
}
