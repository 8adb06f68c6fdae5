package dev.wheelhouse.simulation;

import java.util.List;

import io.kubernetes.client.openapi.models.V1VolumeAttributesClass;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.volume.AttributesClassProtectionController;

/** Errors of the controller that protects VolumeAttributesClasses. */
final class AttributesFaults {
    private AttributesFaults() {}

    static List<PlantedFault> all() {
        return List.of(
                new PlantedFault("a class of attributes that is let go at once",
                        "the class .* loses its protection, and is used",
                        ClaimFaults.letsGo(AttributesClassProtectionController.NAME,
                                ResourceType.VOLUME_ATTRIBUTES_CLASSES, V1VolumeAttributesClass.class)),
                new PlantedFault("a class of attributes that is never let go", "at the end the class .* is kept",
                        Defects.idle(AttributesClassProtectionController.NAME)));
    }
}
