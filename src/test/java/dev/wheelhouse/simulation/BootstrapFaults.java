package dev.wheelhouse.simulation;

import java.util.List;

import io.kubernetes.client.openapi.models.V1ConfigMap;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.bootstrap.BootstrapSigner;
import dev.wheelhouse.controllers.bootstrap.TokenCleaner;
import dev.wheelhouse.simulation.PlantedFault.Defect;

/** Errors of the controllers of bootstrap tokens. */
final class BootstrapFaults {
    private static final String NOT_SEEN = "no status tells that the last change was seen";

    private static final Defect DELETES = Defects.decision(TokenCleaner.NAME, truth -> (owner, actions) -> List
            .of(new Action.Delete(ResourceType.SECRETS, Defects.object(owner), Deletion.unconditional(), "it is a token")));

    private BootstrapFaults() {}

    private static Defect signer(String field, String value) {
        return Defects.objects(BootstrapSigner.NAME, Action.Update.class, V1ConfigMap.class,
                map -> map.getData().replaceAll((key, signed) -> key.startsWith(field) ? value : signed));
    }

    static List<PlantedFault> all() {
        return List.of(
                new PlantedFault("tokens that are deleted at once", "is deleted before it expires", DELETES),
                new PlantedFault("expired tokens that stay", "has expired and is there",
                        Defects.idle(TokenCleaner.NAME)),
                new PlantedFault("a signer that writes the kubeconfig", "the signer changes more than signatures",
                        signer("kubeconfig", "mine")),
                new PlantedFault("signatures of something else", NOT_SEEN, signer("jws-kubeconfig-", "x")));
    }
}
