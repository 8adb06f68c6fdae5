package dev.wheelhouse.simulation;

import java.util.List;

import io.kubernetes.client.openapi.models.V1Namespace;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.namespace.NamespaceController;
import dev.wheelhouse.simulation.PlantedFault.Defect;

/** Errors of the namespace controller. */
final class NamespaceFaults {
    /** The controller lets go of a namespace instead of deleting what is in it. */
    private static final Defect LETS_GO_TOO_EARLY = Defects.each(NamespaceController.NAME,
            (truth, owner, a) -> a instanceof Action.DeleteCollection ? finalized(truth, Defects.object(owner).name(), a) : a);

    /** The controller deletes the objects of another namespace. */
    private static final Defect WRONG_NAMESPACE = Defects.each(NamespaceController.NAME,
            (truth, owner, a) -> a instanceof Action.DeleteCollection d
                    ? new Action.DeleteCollection(d.type(), truth.namespace(), Deletion.unconditional(), d.why())
                    : a);

    private NamespaceFaults() {}

    static List<PlantedFault> all() {
        return List.of(
                new PlantedFault("a namespace let go too early", "is let go, though there are", LETS_GO_TOO_EARLY),
                new PlantedFault("deletions in the wrong namespace", "which is not being deleted", WRONG_NAMESPACE),
                new PlantedFault("a namespace never tried again", "no status tells that the last change was seen",
                        Defects.LOST_REQUEUE));
    }

    private static Action finalized(Truth truth, String name, Action instead) {
        V1Namespace live = truth.get(ResourceType.NAMESPACES, V1Namespace.class, name);
        if (live == null) {
            return instead;
        }
        V1Namespace done = ModelJson.copy(live);
        done.getSpec().setFinalizers(List.of());
        return new Action.UpdateSubresource(ResourceType.NAMESPACES, done, "finalize", "it is empty");
    }
}
