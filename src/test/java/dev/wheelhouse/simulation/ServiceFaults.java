package dev.wheelhouse.simulation;

import java.util.List;

import io.kubernetes.client.openapi.models.V1EndpointSlice;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.service.EndpointSliceController;
import dev.wheelhouse.controllers.service.EndpointSliceMirroringController;
import dev.wheelhouse.controllers.service.EndpointsController;
import dev.wheelhouse.simulation.PlantedFault.Defect;

/** Errors of the controllers of endpoints. */
final class ServiceFaults {
    /** A changed slice is created beside the old one. */
    private static final Defect TWICE = Defects.writes(EndpointSliceController.NAME, (truth, write) -> {
        if (!(write instanceof Action.Update update && update.object() instanceof V1EndpointSlice slice)) {
            return write;
        }
        V1EndpointSlice other = ModelJson.copy(slice);
        other.getMetadata().name(null).resourceVersion(null).uid(null).creationTimestamp(null);
        return new Action.Create(ResourceType.ENDPOINT_SLICES, other, update.why());
    });

    /** A new slice lacks its last endpoint. */
    private static final Defect LAST_LOST = Defects.objects(EndpointSliceController.NAME, Action.Update.class,
            V1EndpointSlice.class, slice -> {
                if (!slice.getEndpoints().isEmpty()) {
                    slice.getEndpoints().removeLast();
                }
            });

    private ServiceFaults() {}

    static List<PlantedFault> all() {
        return List.of(new PlantedFault("a pod in two slices", "the pod .* gets into two slices", TWICE),
                new PlantedFault("a slice without its last endpoint", "the ready pod .* is in no slice", LAST_LOST),
                new PlantedFault("Endpoints that stay as they are", "Endpoints of .*",
                        Defects.without(EndpointsController.NAME, Action.Update.class::isInstance)),
                new PlantedFault("mirrors that stay as they are", "is not mirrored|the mirror of",
                        Defects.without(EndpointSliceMirroringController.NAME, Action.Update.class::isInstance)));
    }
}
