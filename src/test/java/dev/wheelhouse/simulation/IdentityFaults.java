package dev.wheelhouse.simulation;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.kubernetes.client.openapi.models.V1Secret;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.certificates.RootCaPublisher;
import dev.wheelhouse.controllers.rbac.RoleAggregator;
import dev.wheelhouse.controllers.serviceaccount.ServiceAccountController;
import dev.wheelhouse.controllers.serviceaccount.TokenController;
import dev.wheelhouse.simulation.PlantedFault.Defect;

/** Errors of the controllers of service accounts, published certificates and aggregated roles. */
final class IdentityFaults {
    private static final String NOT_SEEN = "no status tells that the last change was seen";

    private static final AtomicInteger TOKENS = new AtomicInteger();

    /** A Secret that is to be filled is deleted. */
    private static final Defect DELETES = Defects.writes(TokenController.NAME,
            (truth, write) -> write instanceof Action.Update update && update.type().equals(ResourceType.SECRETS)
                    ? new Action.Delete(update.type(), ObjectKey.of(update.object()), Deletion.unconditional(),
                            update.why())
                    : write);

    /** Each write of a Secret makes a new token. */
    private static final Defect NEW_TOKENS = Defects.objects(TokenController.NAME, Action.Update.class,
            V1Secret.class, secret -> secret
                    .putDataItem("token", ("token " + TOKENS.incrementAndGet()).getBytes(StandardCharsets.UTF_8))
                    .putDataItem("ca.crt", new byte[]{1}));

    private IdentityFaults() {}

    static List<PlantedFault> all() {
        return List.of(
                new PlantedFault("a Secret deleted instead of filled", "is deleted, and its account exists", DELETES),
                new PlantedFault("a token that is made again", "the token of .* is replaced", NEW_TOKENS),
                new PlantedFault("no default account", NOT_SEEN,
                        Defects.without(ServiceAccountController.NAME, Action.Create.class::isInstance)),
                new PlantedFault("changed certificates stay", NOT_SEEN,
                        Defects.without(RootCaPublisher.NAME, Action.Update.class::isInstance)),
                new PlantedFault("rules that are not aggregated", NOT_SEEN,
                        Defects.without(RoleAggregator.NAME, Action.Apply.class::isInstance)));
    }
}
